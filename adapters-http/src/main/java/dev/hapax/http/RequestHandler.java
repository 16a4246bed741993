package dev.hapax.http;

import java.util.Map;
import java.util.Optional;

/**
 * The handler of the requests of a port. It runs on the threads of connections, and never blocks.
 */
sealed interface RequestHandler permits ConnectHandler, PageHandler {
  /**
   * Begins to answer a request whose body has not been read.
   *
   * @return empty = it is answered
   */
  Optional<OpenRequest> begin(HttpExchange exchange) throws RefusedRequestException;

  /** The headers of every answer, unless that has others. */
  Map<String, String> headers();

  /** The form in which this port refuses requests. */
  HttpAnswer refusal(RefusedRequestException refused);
}
