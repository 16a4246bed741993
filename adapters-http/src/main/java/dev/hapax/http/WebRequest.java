package dev.hapax.http;

import com.google.protobuf.ByteString;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A request of which all has come.
 *
 * @param address the path and the query, encoded
 * @param headers the values of each, by its name in any case
 * @param port at which this server was called
 * @param certificate with which the client has proved its identity
 */
public record WebRequest(
    String method,
    URI address,
    Map<String, List<String>> headers,
    ByteString body,
    int port,
    InetSocketAddress client,
    Optional<X509Certificate> certificate) {
  WebRequest with(ByteString whole) {
    return new WebRequest(method, address, headers, whole, port, client, certificate);
  }
}
