package dev.hapax.testkit.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** A client of HTTP/2 over TLS, which resumes sessions where the server allows it. */
public record TlsClient(SSLContext context) {
  /**
   * Makes a client.
   *
   * @param certificate sent even if the server does not name its issuer
   */
  public static TlsClient of(TestCertificates trusted, Optional<TestCertificate> certificate) {
    try {
      var store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      store.setCertificateEntry("trusted", trusted.certificate());
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      var keys = certificate.<KeyManager>map(OneCertificate::new).stream();
      var context = SSLContext.getInstance("TLS");
      context.init(keys.toArray(KeyManager[]::new), trust.getTrustManagers(), null);
      return new TlsClient(context);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns the certificate of the server, after the server has accepted the client.
   *
   * @param protocols such as TLSv1.3; none = all that the JDK has
   */
  public X509Certificate connect(int port, String... protocols) throws IOException {
    try (var socket = open(port, protocols)) {
      // with TLS 1.3 a client learns from what comes next whether its certificate was accepted
      if (socket.getInputStream().read() < 0) {
        throw new IOException("the server closed the connection");
      }
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  /** Opens a connection to this machine, whose handshake the first read or write makes. */
  public SSLSocket open(int port, String... protocols) throws IOException {
    var socket =
        (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
    var parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    if (protocols.length > 0) {
      parameters.setProtocols(protocols);
    }
    socket.setSSLParameters(parameters);
    return socket;
  }

  private static final class OneCertificate extends X509ExtendedKeyManager {
    private static final String ALIAS = "own";
    private final TestCertificate certificate;

    OneCertificate(TestCertificate certificate) {
      this.certificate = certificate;
    }

    @Override
    public String chooseClientAlias(
        String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
      return ALIAS;
    }

    @Override
    public String chooseEngineClientAlias(
        String[] types, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
      return ALIAS;
    }

    @Override
    public String[] getClientAliases(String type, Principal @Nullable [] issuers) {
      return new String[] {ALIAS};
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
      return certificate.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
      return certificate.keys().getPrivate();
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
      return null;
    }

    @Override
    public @Nullable String chooseServerAlias(
        String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
      return null;
    }
  }
}
