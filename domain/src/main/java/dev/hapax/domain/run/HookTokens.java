package dev.hapax.domain.run;

import java.time.Duration;
import java.util.Optional;

/**
 * The effects of hook tokens on a run.
 *
 * @param supersedes the last run that lost a token to this run
 * @param supersededBy the last run that took a token of this run
 * @param retention the longest retention of its tokens after its end
 */
public record HookTokens(
    Optional<RunId> supersedes, Optional<RunId> supersededBy, Duration retention) {
  static final HookTokens NONE = new HookTokens(Optional.empty(), Optional.empty(), Duration.ZERO);

  HookTokens withToken(Duration kept, Optional<RunId> from) {
    return new HookTokens(
        from.or(() -> supersedes), supersededBy, kept.compareTo(retention) > 0 ? kept : retention);
  }

  HookTokens withSuccessor(RunId next) {
    return new HookTokens(supersedes, Optional.of(next), retention);
  }
}
