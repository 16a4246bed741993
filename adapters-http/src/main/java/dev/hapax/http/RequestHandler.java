package dev.hapax.http;

import java.util.Map;
import java.util.Optional;

/** What a port does with its requests. It runs on the threads of connections, and never blocks. */
sealed interface RequestHandler permits ConnectHandler, PageHandler {
  /**
   * Begins to answer a request whose body has not been read.
   *
   * @return empty = it is answered
   */
  Optional<OpenRequest> begin(HttpExchange exchange) throws RefusedRequestException;

  /** The headers of every answer, unless that has others. */
  Map<String, String> headers();

  /** How this port refuses. */
  HttpAnswer refusal(RefusedRequestException refused);
}
