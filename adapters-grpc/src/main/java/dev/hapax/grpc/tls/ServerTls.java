package dev.hapax.grpc.tls;

import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/** TLS of a server; each new connection uses the certificates that were loaded last. */
public final class ServerTls {
  private static final String NO_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

  static {
    // a handshake costs the server more than the client; the JDK reads it with the first use of TLS
    if (System.getProperty(NO_RENEGOTIATION) == null) {
      System.setProperty(NO_RENEGOTIATION, "true");
    }
  }

  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

  private final CurrentSslContext context;
  private final CurrentJdkContext jdkContext;
  private final TlsFiles config;
  private final List<CertificateFiles<?>> files;

  private ServerTls(TlsFiles config, Contexts first, List<CertificateFiles<?>> files) {
    this.config = config;
    this.context = new CurrentSslContext(first.netty);
    this.jdkContext = new CurrentJdkContext(first.jdk);
    this.files = List.copyOf(files);
  }

  /** The contexts of gRPC and of the JDK, with the same certificates. */
  private record Contexts(SslContext netty, SSLContext jdk) {
    static Contexts of(
        TlsFiles config, ServerIdentity identity, Optional<CertificateList> authorities)
        throws InvalidCertificateException {
      var trusted = authorities.map(CertificateList::certificates).orElse(List.of());
      var builder =
          SslContextBuilder.forServer(
              identity.key(), identity.chain().toArray(X509Certificate[]::new));
      config
          .clients()
          .ifPresent(
              clients ->
                  builder
                      .trustManager(trusted.toArray(X509Certificate[]::new))
                      .clientAuth(clients.required() ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL));
      try {
        return new Contexts(
            GrpcSslContexts.configure(builder).protocols(PROTOCOLS).build(),
            CurrentJdkContext.of(identity, trusted));
      } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
        throw new InvalidCertificateException(
            config.certificate(), "cannot be used for TLS: " + e.getMessage());
      }
    }
  }

  /** Loads all files. */
  public static ServerTls open(TlsFiles config, Instant now) throws InvalidCertificateException {
    var identity =
        new CertificateFiles<>(
            CertificateUse.SERVER,
            List.of(config.certificate(), config.key()),
            (files, time) -> ServerIdentity.of(files.getFirst(), files.getLast(), time),
            now);
    if (config.clients().isEmpty()) {
      var first = Contexts.of(config, identity.value(), Optional.empty());
      var tls = new ServerTls(config, first, List.of(identity));
      identity.onChange(next -> tls.replace(Contexts.of(config, next, Optional.empty())));
      return tls;
    }
    var authorities =
        new CertificateFiles<>(
            CertificateUse.CLIENT_CA,
            List.of(config.clients().get().authorities()),
            new Authorities(),
            now);
    var first = Contexts.of(config, identity.value(), Optional.of(authorities.value()));
    var tls = new ServerTls(config, first, List.of(identity, authorities));
    identity.onChange(
        next -> tls.replace(Contexts.of(config, next, Optional.of(authorities.value()))));
    authorities.onChange(
        next -> tls.replace(Contexts.of(config, identity.value(), Optional.of(next))));
    return tls;
  }

  private void replace(Contexts next) {
    context.replace(next.netty);
    jdkContext.replace(next.jdk);
  }

  /** Java trusts authorities that have expired, so they must not be in the context. */
  private static final class Authorities implements CertificateFiles.Reader<CertificateList> {
    @Override
    public CertificateList read(List<PemFile> files, Instant now)
        throws InvalidCertificateException {
      return CertificateList.authorities(files.getFirst(), now);
    }

    @Override
    public CertificateList usable(CertificateList read, Instant now) {
      return read.unexpired(now);
    }
  }

  /** The context of all connections. */
  public SslContext context() {
    return context;
  }

  /** An engine for a connection of HTTP, with the certificates that were loaded last. */
  public SSLEngine engine() {
    var engine = jdkContext.createSSLEngine();
    engine.setUseClientMode(false);
    engine.setSSLParameters(parameters());
    return engine;
  }

  /** The protocols, and whether a client must have a certificate. */
  private SSLParameters parameters() {
    var parameters = new SSLParameters(null, PROTOCOLS.clone());
    config
        .clients()
        .ifPresent(
            clients -> {
              if (clients.required()) {
                parameters.setNeedClientAuth(true);
              } else {
                parameters.setWantClientAuth(true);
              }
            });
    return parameters;
  }

  /** The files to watch. */
  public List<CertificateFiles<?>> files() {
    return files;
  }
}
