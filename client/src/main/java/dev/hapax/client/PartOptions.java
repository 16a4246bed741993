package dev.hapax.client;

import dev.hapax.client.internal.Ranges;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The options of a part. Immutable: each method returns a copy.
 *
 * <pre>{@code
 * PartOptions.of(Receipt.class).retry(Retry.unlimited().giveUpAfter(Duration.ofHours(2)))
 * PartOptions.of(Receipt.class).atMostOnce().verify(bank::find)
 * }</pre>
 *
 * @param <T> the output of the part
 */
public final class PartOptions<T extends @Nullable Object> {

  private final Codec<T> codec;
  private final @Nullable Retry retry;
  private final @Nullable Duration timeout;
  private final boolean atMostOnce;
  private final @Nullable Verifier<? extends T> verifier;

  /** Finds out whether a part took effect. */
  @FunctionalInterface
  public interface Verifier<T> {

    /**
     * Returns the output of the part if it took effect. Empty = it did not, and will not: its body
     * runs again.
     *
     * @param id the one that the body got
     * @throws Exception if that cannot be found out; this execution fails, and the next one
     *     verifies again
     */
    Optional<T> verify(String id) throws Exception;
  }

  private PartOptions(
      Codec<T> codec,
      @Nullable Retry retry,
      @Nullable Duration timeout,
      boolean atMostOnce,
      @Nullable Verifier<? extends T> verifier) {
    this.codec = codec;
    this.retry = retry;
    this.timeout = timeout;
    this.atMostOnce = atMostOnce;
    this.verifier = verifier;
  }

  /** The defaults, for a part whose output is JSON of this type. */
  public static <T> PartOptions<T> of(Class<T> type) {
    return of(Codec.json(type));
  }

  /** The defaults, for a part with this output. */
  public static <T extends @Nullable Object> PartOptions<T> of(Codec<T> codec) {
    return new PartOptions<>(codec, null, null, false, null);
  }

  /** The retries. Default: those of the step for its parts, by default 8 attempts. */
  public PartOptions<T> retry(Retry retry) {
    return new PartOptions<>(
        codec, Objects.requireNonNull(retry, "retry"), timeout, atMostOnce, verifier);
  }

  /**
   * Interrupts the thread of the body after this time. If the body then throws, the attempt has
   * failed with the code {@code PART_TIMEOUT}; if it returns all the same, its output is recorded.
   * A body that ignores the interrupt is awaited, as it must not run twice at once.
   *
   * @param timeout of each attempt. More than 0, at most 24 h; default none
   */
  public PartOptions<T> timeout(Duration timeout) {
    Ranges.within("timeout", timeout, Duration.ofNanos(1), Duration.ofHours(24));
    return new PartOptions<>(codec, retry, timeout, atMostOnce, verifier);
  }

  /**
   * Records the beginning of the part before its body runs, at the cost of one more call. An
   * attempt whose end is unknown is then not followed by another one: its worker died, its lease
   * expired, its timeout passed, or it threw {@link UnknownEffect}. The part is in doubt, and the
   * run fails with {@code UNKNOWN_EFFECT}, until an operator settles it. With {@link #verify} the
   * worker finds out itself.
   *
   * <p>Any other failure of the body means that there was no effect: it is retried.
   */
  public PartOptions<T> atMostOnce() {
    return new PartOptions<>(codec, retry, timeout, true, verifier);
  }

  /** Asks this when the part is in doubt; see {@link #atMostOnce}. */
  public PartOptions<T> verify(Verifier<? extends T> verifier) {
    return new PartOptions<>(
        codec, retry, timeout, atMostOnce, Objects.requireNonNull(verifier, "verifier"));
  }

  Codec<T> codec() {
    return codec;
  }

  @Nullable Retry retry() {
    return retry;
  }

  @Nullable Duration timeout() {
    return timeout;
  }

  boolean isAtMostOnce() {
    return atMostOnce;
  }

  @Nullable Verifier<? extends T> verifier() {
    return verifier;
  }
}
