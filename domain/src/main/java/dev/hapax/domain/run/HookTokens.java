package dev.hapax.domain.run;

import java.time.Duration;
import java.util.Optional;

/**
 * What a run took from others, and lost to them: hook tokens, and its idempotency key.
 *
 * @param supersedes the last run that lost a token to this run
 * @param supersededBy the run that took the key of this run, or else the last one that took a token
 * @param keyLost whether another run took its key: it is never continued
 * @param retention the longest retention of its tokens after its end
 */
public record HookTokens(
    Optional<RunId> supersedes,
    Optional<RunId> supersededBy,
    boolean keyLost,
    Duration retention) {
  static final HookTokens NONE =
      new HookTokens(Optional.empty(), Optional.empty(), false, Duration.ZERO);

  public HookTokens {
    if (keyLost && supersededBy.isEmpty()) {
      throw new IllegalArgumentException("another run must have the lost key");
    }
  }

  HookTokens withToken(Duration kept, Optional<RunId> from) {
    return new HookTokens(
        from.or(() -> supersedes),
        supersededBy,
        keyLost,
        kept.compareTo(retention) > 0 ? kept : retention);
  }

  /** A run that takes a token does not hide the run that has the key. */
  HookTokens withSuccessor(RunId next, boolean byKey) {
    return keyLost && !byKey
        ? this
        : new HookTokens(supersedes, Optional.of(next), byKey, retention);
  }
}
