package dev.hapax.http;

import java.time.Duration;

/**
 * How long a client may take.
 *
 * @param maxSilence until the next request, until its body is complete, and until the client reads
 *     on
 * @param maxStreamAge after it a client opens a stream again; as old as a gRPC connection gets
 */
record ConnectTimes(Duration maxSilence, Duration maxStreamAge) {
  static final ConnectTimes DEFAULT =
      new ConnectTimes(Duration.ofSeconds(30), Duration.ofMinutes(15));
}
