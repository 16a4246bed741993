package dev.hapax.grpc.tls;

import dev.hapax.testkit.tls.TestCertificate;
import dev.hapax.testkit.tls.TestCertificates;
import io.grpc.util.AdvancedTlsX509KeyManager;
import java.io.IOException;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** A client that shakes hands, and resumes its sessions if the server does. */
record TlsClient(SSLContext context) {
  /** Trusts an authority, and may have a certificate. */
  static TlsClient of(TestCertificates trusted, Optional<TestCertificate> certificate) {
    try {
      var store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      store.setCertificateEntry("trusted", trusted.certificate());
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      // sends the certificate even if the server does not name its issuer
      var keys = new AdvancedTlsX509KeyManager();
      certificate.ifPresent(
          own ->
              keys.updateIdentityCredentials(
                  own.chain().toArray(X509Certificate[]::new), own.keys().getPrivate()));
      var context = SSLContext.getInstance("TLS");
      context.init(new KeyManager[] {keys}, trust.getTrustManagers(), null);
      return new TlsClient(context);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the certificate of the server, after the server has accepted the client. */
  X509Certificate connect(int port, String... protocols) throws IOException {
    try (var socket =
        (SSLSocket)
            context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
      var parameters = socket.getSSLParameters();
      parameters.setApplicationProtocols(new String[] {"h2"});
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      if (protocols.length > 0) {
        parameters.setProtocols(protocols);
      }
      socket.setSSLParameters(parameters);
      // with TLS 1.3 a client learns from what comes next whether its certificate was accepted
      if (socket.getInputStream().read() < 0) {
        throw new IOException("the server closed the connection");
      }
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }
}
