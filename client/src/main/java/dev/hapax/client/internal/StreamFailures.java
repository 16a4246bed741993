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
  private final String target;
  private int retries;
  private int unresponsive;
  private boolean isAway;

  /**
   * @param target of the channel, for the log
   */
  public StreamFailures(String target) {
    this.target = target;
  }

  /** A message has arrived. */
  public synchronized void received() {
    rejections.accepted();
    if (isAway) {
      isAway = false;
      log.info("Hapax at {} answers again", target);
    }
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
    Optional<Duration> pause = Backoff.pause(error.asRuntimeException(), retries);
    if (pause.isPresent()) {
      logOutage(error);
    }
    retries++;
    return Optional.of(pause.orElseGet(() -> rejections.rejected(error)));
  }

  /** Once for each outage; a server that restarts behind a balancer is none. */
  private void logOutage(Status error) {
    if (!isAway && retries > 0 && error.getCode() != Status.Code.RESOURCE_EXHAUSTED) {
      isAway = true;
      log.warn(
          "cannot reach Hapax at {}, will retry until it answers; start the server, or correct "
              + "HAPAX_SERVER or the settings of TLS: {}",
          target,
          error);
    }
  }
}
