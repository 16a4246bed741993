package dev.hapax.client.internal;

import io.grpc.Status;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The rejections of a poll or a stream in a row, such as those of a revoked key: the pauses grow,
 * and each change is logged once.
 */
public final class Rejections {

  private static final Duration FIRST = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final Logger log;
  private final String name;

  // guarded by this; null = the last one was accepted
  private Status.@Nullable Code last;
  private Duration pause = FIRST;

  /**
   * @param name of what is rejected, for the log
   */
  public Rejections(Logger log, String name) {
    this.log = log;
    this.name = name;
  }

  /** Returns the pause before the next attempt: 5, 10, 20, 30 s. */
  public synchronized Duration rejected(Status status) {
    if (status.getCode() == last) {
      log.debug("{} was rejected again: {}", name, status);
    } else {
      log.error(
          "{} was rejected, will retry every 5 to 30 s until it is accepted: {}", name, status);
    }
    last = status.getCode();
    Duration now = pause;
    pause = pause.multipliedBy(2).compareTo(LONGEST) < 0 ? pause.multipliedBy(2) : LONGEST;
    return now;
  }

  public synchronized void accepted() {
    if (last != null) {
      log.info("{} is accepted again", name);
      last = null;
      pause = FIRST;
    }
  }
}
