package dev.hapax.grpc.security;

import dev.hapax.domain.security.ClientCertificate;
import dev.hapax.domain.security.Credentials;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** Reads the credentials of calls; the client certificate once for each connection. */
public final class CallCredentialsReader extends ServerTransportFilter {
  private static final Attributes.Key<ClientCertificate> CERTIFICATE =
      Attributes.Key.create("hapax-client-certificate");
  private static final int DNS_NAME = 2;
  private static final int URI = 6;

  @Override
  public Attributes transportReady(Attributes transport) {
    return certificate(transport)
        .map(names -> transport.toBuilder().set(CERTIFICATE, names).build())
        .orElse(transport);
  }

  /** Adds the certificate of a caller whose connection another server has verified. */
  public static Attributes withCertificate(Attributes call, X509Certificate verified) {
    return names(verified)
        .map(names -> call.toBuilder().set(CERTIFICATE, names).build())
        .orElse(call);
  }

  static Credentials read(BearerHeader bearer, Attributes transport) {
    return new Credentials(bearer.secret(), Optional.ofNullable(transport.get(CERTIFICATE)));
  }

  private static Optional<ClientCertificate> certificate(Attributes transport) {
    var session = transport.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
    if (session == null) {
      return Optional.empty();
    }
    try {
      return session.getPeerCertificates()[0] instanceof X509Certificate leaf
          ? names(leaf)
          : Optional.empty();
    } catch (SSLPeerUnverifiedException _) {
      return Optional.empty();
    }
  }

  private static Optional<ClientCertificate> names(X509Certificate leaf) {
    try {
      var names = leaf.getSubjectAlternativeNames();
      return Optional.of(
          new ClientCertificate(
              ofType(URI, names), ofType(DNS_NAME, names), leaf.getNotAfter().toInstant()));
    } catch (CertificateParsingException _) {
      return Optional.empty();
    }
  }

  private static List<String> ofType(int type, @Nullable Collection<List<?>> names) {
    return names == null
        ? List.of()
        : names.stream()
            .filter(name -> name.get(0).equals(type))
            .map(name -> String.valueOf(name.get(1)))
            .toList();
  }
}
