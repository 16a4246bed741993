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
public record Tokens(Optional<RunId> supersedes, Optional<RunId> supersededBy, Duration retention) {
  static final Tokens NONE = new Tokens(Optional.empty(), Optional.empty(), Duration.ZERO);

  Tokens got(Duration kept, Optional<RunId> from) {
    return new Tokens(
        from.or(() -> supersedes), supersededBy, kept.compareTo(retention) > 0 ? kept : retention);
  }

  Tokens takenBy(RunId next) {
    return new Tokens(supersedes, Optional.of(next), retention);
  }
}
