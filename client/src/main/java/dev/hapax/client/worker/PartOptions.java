package dev.hapax.client.worker;

import dev.hapax.client.WorkFailure;
import dev.hapax.client.internal.Limits;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The options of a part. Start from {@link #DEFAULT} or {@link #retry(Retry)}. Immutable: every
 * method returns a copy.
 *
 * <pre>{@code
 * PartOptions.retry(Retry.unlimited().giveUpAfter(Duration.ofHours(2))).timeout(Duration.ofSeconds(90))
 * PartOptions.DEFAULT.atMostOnce().verify(partId -> Evidence.of(bank.find(partId)))
 * }</pre>
 */
public final class PartOptions {

  /**
   * The policy for parts of the step's definition, by default 8 attempts; no timeout; at least
   * once.
   */
  public static final PartOptions DEFAULT = new PartOptions(null, null, false);

  private final @Nullable Retry retry;
  private final @Nullable Duration timeout;
  private final boolean atMostOnce;

  private PartOptions(@Nullable Retry retry, @Nullable Duration timeout, boolean atMostOnce) {
    this.retry = retry;
    this.timeout = timeout;
    this.atMostOnce = atMostOnce;
  }

  /** The defaults with other retries. */
  public static PartOptions retry(Retry retry) {
    return new PartOptions(Objects.requireNonNull(retry, "retry"), null, false);
  }

  /**
   * Interrupts the thread of the body after this time. If the body then throws, the attempt has
   * failed with the code {@code PART_TIMEOUT}; if it returns all the same, its output is recorded.
   * A body that ignores the interrupt is awaited, as it must not run twice at once.
   *
   * @param timeout of each attempt. More than 0, at most 24 h; default none
   */
  public PartOptions timeout(Duration timeout) {
    Limits.within("timeout", timeout, Duration.ofNanos(1), Duration.ofHours(24));
    return new PartOptions(retry, timeout, atMostOnce);
  }

  /**
   * Records the beginning of the part before its body runs. An attempt whose end is unknown is not
   * followed by another one: its worker died, its lease expired, its timeout passed, or it threw
   * {@link WorkFailure#unknownEffect}. The part is then in doubt, and the next execution ends the
   * run as FAILED with {@code UNKNOWN_EFFECT}, until an operator settles it. With {@link #verify}
   * the worker finds out itself.
   *
   * <p>Any other failure that the body reports means that there was no effect: it is retried. It
   * costs one more call.
   */
  public PartOptions atMostOnce() {
    return new PartOptions(retry, timeout, true);
  }

  /** Asks the verifier when the part is in doubt; see {@link #atMostOnce}. */
  public <T extends @Nullable Object> Verified<T> verify(PartVerifier<T> verifier) {
    return new Verified<>(this, Objects.requireNonNull(verifier, "verifier"));
  }

  Optional<Retry> retry() {
    return Optional.ofNullable(retry);
  }

  Optional<Duration> timeout() {
    return Optional.ofNullable(timeout);
  }

  boolean isAtMostOnce() {
    return atMostOnce;
  }

  /** Options with a verifier for parts that are in doubt. */
  public static final class Verified<T extends @Nullable Object> {

    private final PartOptions options;
    private final PartVerifier<T> verifier;

    private Verified(PartOptions options, PartVerifier<T> verifier) {
      this.options = options;
      this.verifier = verifier;
    }

    PartOptions options() {
      return options;
    }

    PartVerifier<T> verifier() {
      return verifier;
    }
  }
}
