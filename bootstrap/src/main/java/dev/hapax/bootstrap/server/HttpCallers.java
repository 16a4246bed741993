package dev.hapax.bootstrap.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsExchange;
import io.grpc.Channel;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Finds the channel for calls of an HTTP client: they have its address, and its certificate.
 *
 * @param inProcess the channel for an address, perhaps with a verified certificate
 */
record HttpCallers(BiFunction<InetSocketAddress, Optional<X509Certificate>, Channel> inProcess)
    implements Function<HttpExchange, Channel> {
  @Override
  public Channel apply(HttpExchange exchange) {
    return inProcess.apply(exchange.getRemoteAddress(), certificate(exchange));
  }

  /** Whether the client has proved an identity by a certificate. */
  static boolean hasCertificate(HttpExchange exchange) {
    return certificate(exchange).isPresent();
  }

  private static Optional<X509Certificate> certificate(HttpExchange exchange) {
    try {
      return exchange instanceof HttpsExchange secured
              && secured.getSSLSession().getPeerCertificates()[0] instanceof X509Certificate leaf
          ? Optional.of(leaf)
          : Optional.empty();
    } catch (SSLPeerUnverifiedException _) {
      return Optional.empty();
    }
  }
}
