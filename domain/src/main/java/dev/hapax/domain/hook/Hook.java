package dev.hapax.domain.hook;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.Text;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A token, and the run that got it last. There is one for each token, and whether that run owns it
 * still is for the run to say: what ends a run frees its tokens with the same write.
 *
 * @param name what the run calls it, for steps that wait for its signals; empty = it has no name
 * @param retention how long it answers with the run after the run has ended
 * @param disposedAt when the run gave it up, if it did
 */
public record Hook(
    RunId run, String name, Instant createdAt, Duration retention, Optional<Instant> disposedAt) {
  public static final Duration MAX_RETENTION = Duration.ofDays(365);

  public Hook {
    Text.name(name);
    requireRetention(retention);
  }

  /** The retention, or a violation. */
  public static Duration requireRetention(Duration retention) {
    if (retention.isNegative() || retention.compareTo(MAX_RETENTION) > 0) {
      throw new InvalidValueException("must be between 0 and 365 days");
    }
    return retention;
  }

  /** Whether the token answers with its run, which may have ended. */
  public boolean isOwnedBy(Run owner, Instant now) {
    return disposedAt.isEmpty()
        && owner.endedAt().filter(end -> !now.isBefore(end.plus(retention))).isEmpty();
  }

  /** As the source of a signal. */
  SourceHook source(HookId id) {
    return new SourceHook(id.hash(), name);
  }

  Hook disposed(Instant now) {
    return new Hook(run, name, createdAt, retention, Optional.of(now));
  }
}
