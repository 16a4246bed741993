package dev.hapax.http;

import java.time.Duration;

/**
 * How long a client may take.
 *
 * @param maxSilence until the next request, until its body is complete, and until the client reads
 *     on
 * @param maxStreamAge after it a client opens a stream again; as old as a gRPC connection gets
 */
record HttpTimeouts(Duration maxSilence, Duration maxStreamAge) {
  static final HttpTimeouts DEFAULT =
      new HttpTimeouts(Duration.ofSeconds(30), Duration.ofMinutes(15));
}
