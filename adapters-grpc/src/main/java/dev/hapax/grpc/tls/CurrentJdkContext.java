package dev.hapax.grpc.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyManagementException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** The context of the JDK that was made last, for each new connection. */
final class CurrentJdkContext extends SSLContext {
  private final Delegation delegation;

  CurrentJdkContext(SSLContext first) {
    this(new Delegation(first));
  }

  private CurrentJdkContext(Delegation delegation) {
    super(delegation, delegation.current.getProvider(), delegation.current.getProtocol());
    this.delegation = delegation;
  }

  void replace(SSLContext next) {
    delegation.current = next;
  }

  /** Makes a context with these certificates. */
  static SSLContext of(ServerIdentity identity, List<X509Certificate> authorities)
      throws GeneralSecurityException, IOException {
    // the store is in memory and needs no password
    var noPassword = new char[0];
    var own = emptyStore();
    own.setKeyEntry(
        "server", identity.key(), noPassword, identity.chain().toArray(Certificate[]::new));
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, noPassword);
    var trusted = emptyStore();
    for (var authority : authorities) {
      trusted.setCertificateEntry("authority-" + trusted.size(), authority);
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    var context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    var store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static final class Delegation extends SSLContextSpi {
    private volatile SSLContext current;

    Delegation(SSLContext first) {
      this.current = first;
    }

    @Override
    protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random)
        throws KeyManagementException {
      throw new KeyManagementException("the context is made of files");
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
      return current.getSocketFactory();
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
      return current.getServerSocketFactory();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
      return current.createSSLEngine();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
      return current.createSSLEngine(host, port);
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
      return current.getServerSessionContext();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
      return current.getClientSessionContext();
    }
  }
}
