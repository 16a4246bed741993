package dev.hapax.grpc.tls;

import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/** TLS of a server; each new connection uses the certificates that were loaded last. */
public final class ServerTls {
  private final CurrentSslContext context;
  private final List<CertificateFiles<?>> files;

  private ServerTls(CurrentSslContext context, List<CertificateFiles<?>> files) {
    this.context = context;
    this.files = List.copyOf(files);
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
      var context = new CurrentSslContext(context(builder(identity.value()), config));
      identity.onChange(next -> context.replace(context(builder(next), config)));
      return new ServerTls(context, List.of(identity));
    }
    var clients = config.clients().get();
    var authorities =
        new CertificateFiles<>(
            CertificateUse.CLIENT_CA, List.of(clients.authorities()), new Authorities(), now);
    var context =
        new CurrentSslContext(
            context(builder(identity.value(), authorities.value(), clients), config));
    identity.onChange(
        next -> context.replace(context(builder(next, authorities.value(), clients), config)));
    authorities.onChange(
        next -> context.replace(context(builder(identity.value(), next, clients), config)));
    return new ServerTls(context, List.of(identity, authorities));
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

  /** The files to watch. */
  public List<CertificateFiles<?>> files() {
    return files;
  }

  private static SslContextBuilder builder(ServerIdentity identity) {
    return SslContextBuilder.forServer(
        identity.key(), identity.chain().toArray(X509Certificate[]::new));
  }

  private static SslContextBuilder builder(
      ServerIdentity identity, CertificateList authorities, TlsFiles.Clients clients) {
    return builder(identity)
        .trustManager(authorities.certificates().toArray(X509Certificate[]::new))
        .clientAuth(clients.required() ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL);
  }

  private static SslContext context(SslContextBuilder builder, TlsFiles config)
      throws InvalidCertificateException {
    try {
      return GrpcSslContexts.configure(builder).protocols("TLSv1.3", "TLSv1.2").build();
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidCertificateException(
          config.certificate(), "cannot be used for TLS: " + e.getMessage());
    }
  }
}
