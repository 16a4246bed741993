package dev.hapax.client.internal;

import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides from how the last streams of a worker ended when to open the next one. */
public final class StreamFailures {

  /** The status of a stream that the client ended as unresponsive. */
  static final Status NO_RESPONSE =
      Status.UNAVAILABLE.withDescription("no message on the stream in time");

  private static final Logger log = LoggerFactory.getLogger(StreamFailures.class);

  /** After this many unresponsive streams in a row the worker polls: a proxy may block streams. */
  private static final int MAX_UNRESPONSIVE = 3;

  private final Rejections rejections = new Rejections(log, "the worker's stream");
  private int retries;
  private int unresponsive;

  /** A message has arrived. */
  public void received() {
    rejections.accepted();
  }

  /**
   * The pause before the next stream, or empty if streams do not get through.
   *
   * @param hasReceived whether Hapax sent a message on the stream that has ended
   */
  public synchronized Optional<Duration> ended(boolean hasReceived, Status status) {
    unresponsive = !hasReceived && NO_RESPONSE.equals(status) ? unresponsive + 1 : 0;
    if (unresponsive == MAX_UNRESPONSIVE
        || (!hasReceived && status.getCode() == Status.Code.UNIMPLEMENTED)) {
      return Optional.empty();
    }
    retries = hasReceived ? 0 : retries;
    if (hasReceived && status.isOk()) {
      return Optional.of(Duration.ZERO);
    }
    Status error = status.isOk() ? NO_RESPONSE : status;
    return Optional.of(
        Backoff.pause(error.asRuntimeException(), retries++)
            .orElseGet(() -> rejections.rejected(error)));
  }
}
