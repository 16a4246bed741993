package dev.hapax.bootstrap.cli.call;

import dev.hapax.client.HapaxException;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.grpc.netty.shaded.io.netty.handler.ssl.NotSslRecordException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** Explains why a connection to a server failed, and what to do. */
record ConnectionProblem(HapaxException failure, String server, boolean isTls) {

  /** The text of gRPC for a connection that its peer closed without a word. */
  private static final String CLOSED = "Network closed for unknown reason";

  /** Returns the explanation of a call that reached no server. */
  String unreachable() {
    if (cause(UnknownHostException.class).isPresent()) {
      return "cannot resolve the host of " + server + ": check --server or HAPAX_SERVER";
    }
    return otherProtocol()
        .or(this::tls)
        .or(this::closed)
        .orElse(
            "cannot connect to a hapax server at "
                + server
                + ": start one with `hapax serve`, or set --server or HAPAX_SERVER");
  }

  /** Returns the explanation if the peer speaks another protocol. */
  Optional<String> otherProtocol() {
    return cause(Http2Exception.class)
        .map(
            _ ->
                "the server at "
                    + server
                    + " does not speak gRPC: --server needs the address of --listen, not that of"
                    + " --metrics-listen or of another program");
  }

  private Optional<String> tls() {
    return cause(NotSslRecordException.class)
        .map(
            _ ->
                "the server at " + server + " does not use TLS: connect without --tls and https://")
        .or(this::certificate)
        .or(() -> cause(SSLException.class).map(this::handshake));
  }

  /** The problem with the certificate of the server. */
  private Optional<String> certificate() {
    return cause(CertificateExpiredException.class)
        .map(expired -> "the certificate of " + server + " has expired: " + expired.getMessage())
        .or(
            () ->
                cause(CertPathBuilderException.class)
                    .map(
                        _ ->
                            "the certificate of "
                                + server
                                + " is from an unknown authority: name the file of its authority"
                                + " with --tls-ca or HAPAX_TLS_CA"))
        .or(
            () ->
                cause(CertificateException.class)
                    .map(
                        wrong ->
                            "the certificate of "
                                + server
                                + " is not for this host: "
                                + wrong.getMessage()));
  }

  private String handshake(SSLException alert) {
    var text = Objects.requireNonNullElse(alert.getMessage(), alert.toString());
    return text.contains("CERTIFICATE_REQUIRED")
        ? "the server at "
            + server
            + " requires a client certificate: give it with --tls-cert and --tls-key"
        : "the TLS connection to " + server + " failed: " + text;
  }

  private Optional<String> closed() {
    return isTls || !CLOSED.equals(failure.error().getMessage())
        ? Optional.empty()
        : Optional.of(
            "the server at "
                + server
                + " closed the connection: if it uses TLS, connect with --tls or HAPAX_TLS=true");
  }

  /** Returns the innermost cause of this type. */
  private <T extends Throwable> Optional<T> cause(Class<T> type) {
    return Stream.<Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
        .filter(type::isInstance)
        .map(type::cast)
        .reduce((_, inner) -> inner);
  }
}
