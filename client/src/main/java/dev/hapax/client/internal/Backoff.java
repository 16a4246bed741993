package dev.hapax.client.internal;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Decides whether and when to retry a failed call. */
public final class Backoff {

  private static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private static final int MAX_DOUBLINGS = 20;

  private Backoff() {}

  /**
   * The pause before the next attempt, or empty if the error would repeat. Every call carries its
   * key, so a retry is always safe.
   *
   * @param retry 0 before the second attempt
   */
  public static Optional<Duration> pause(StatusRuntimeException error, int retry) {
    Optional<Duration> advised = RpcDetails.retryDelay(error).map(ProtoTimes::toJava);
    boolean again =
        switch (error.getStatus().getCode()) {
          case UNAVAILABLE, DEADLINE_EXCEEDED -> true;
          case RESOURCE_EXHAUSTED -> advised.isPresent();
          // without an ErrorInfo the error is from a proxy or the transport, not from Hapax
          case INTERNAL, UNKNOWN, CANCELLED -> RpcDetails.errorInfo(error).isEmpty();
          default -> false;
        };
    return again
        ? Optional.of(jittered(retry).plus(advised.orElse(Duration.ZERO)))
        : Optional.empty();
  }

  /**
   * As {@link #pause}, for the holder of a claim: its work is done, so it also waits for a new key
   * when its key was revoked or has expired.
   */
  public static Optional<Duration> pauseOfHolder(StatusRuntimeException error, int retry) {
    return error.getStatus().getCode() == Status.Code.UNAUTHENTICATED
        ? Optional.of(jittered(MAX_DOUBLINGS))
        : pause(error, retry);
  }

  /** Between half and all of 100 ms, 200 ms, 400 ms ... 2 s. */
  private static Duration jittered(int retry) {
    long ceiling = Math.min(FIRST.toNanos() << Math.min(retry, MAX_DOUBLINGS), LONGEST.toNanos());
    return Duration.ofNanos(ceiling / 2 + ThreadLocalRandom.current().nextLong(ceiling / 2 + 1));
  }
}
