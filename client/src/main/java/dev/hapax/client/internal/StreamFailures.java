package dev.hapax.client.internal;

import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How the last streams of a worker ended, and so when to open the next one. */
public final class StreamFailures {

  /** Of a stream that the client gave up. */
  static final Status NOTHING_HEARD =
      Status.UNAVAILABLE.withDescription("nothing was heard on the stream in time");

  private static final Logger log = LoggerFactory.getLogger(StreamFailures.class);
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(5);

  /** So many streams in a row have to remain silent: something between may not pass them. */
  private static final int SILENT = 3;

  private int retries;
  private int silent;

  /**
   * The pause before the next stream, or empty if streams do not get through.
   *
   * @param heard whether Hapax sent something on the stream that has ended
   */
  public synchronized Optional<Duration> ended(boolean heard, Status status) {
    silent = !heard && NOTHING_HEARD.equals(status) ? silent + 1 : 0;
    if (silent == SILENT || (!heard && status.getCode() == Status.Code.UNIMPLEMENTED)) {
      return Optional.empty();
    }
    retries = heard ? 0 : retries;
    if (heard && status.isOk()) {
      return Optional.of(Duration.ZERO);
    }
    Status error = status.isOk() ? NOTHING_HEARD : status;
    return Optional.of(
        Backoff.pause(error.asRuntimeException(), retries++).orElseGet(() -> refused(error)));
  }

  private static Duration refused(Status status) {
    log.error("the stream of the worker is refused by Hapax: {}", status);
    return AFTER_REFUSAL;
  }
}
