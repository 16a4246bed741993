package dev.hapax.domain.run;

import java.time.Duration;
import java.util.Optional;

/**
 * What hooks have made of a run.
 *
 * @param supersedes the run it took a token from, the last one
 * @param supersededBy the run that took a token of it, the last one
 * @param retention how long its tokens are kept after its end, at most
 */
public record HookTokens(
    Optional<RunId> supersedes, Optional<RunId> supersededBy, Duration retention) {
  static final HookTokens NONE = new HookTokens(Optional.empty(), Optional.empty(), Duration.ZERO);

  HookTokens got(Duration kept, Optional<RunId> from) {
    return new HookTokens(
        from.or(() -> supersedes), supersededBy, kept.compareTo(retention) > 0 ? kept : retention);
  }

  HookTokens takenBy(RunId next) {
    return new HookTokens(supersedes, Optional.of(next), retention);
  }
}
