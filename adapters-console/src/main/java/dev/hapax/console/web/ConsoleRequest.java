package dev.hapax.console.web;

import io.grpc.Channel;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A request of a browser, of which all has come.
 *
 * @param address the path and the query, encoded
 * @param headers the values of each, by its name in any case
 * @param body a form, or empty
 * @param port at which the console was called
 * @param channel for calls in the name of the browser's client
 * @param needsLogin whether the server refuses this client without a session
 */
public record ConsoleRequest(
    String method,
    URI address,
    Map<String, List<String>> headers,
    String body,
    int port,
    Channel channel,
    boolean needsLogin) {

  boolean isPost() {
    return method.equals("POST");
  }

  /** The raw path. */
  String path() {
    return Optional.ofNullable(address.getRawPath()).orElse("");
  }

  /** The first value of a header. */
  Optional<String> header(String name) {
    return headers.getOrDefault(name, List.of()).stream().findFirst();
  }
}
