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
 * The record of a hook token: the run that acquired it last. Whether that run still owns the token
 * depends on the run's state, so the write that ends a run also frees its tokens.
 *
 * @param name by which steps of the run wait for its signals; empty = none
 * @param retention how long the run still owns the token after its end
 * @param disposedAt when the token was disposed of; empty = it was not
 */
public record Hook(
    RunId run, String name, Instant createdAt, Duration retention, Optional<Instant> disposedAt) {
  public static final Duration MAX_RETENTION = Duration.ofDays(365);

  public Hook {
    Text.name(name);
    requireRetention(retention);
  }

  /** Returns the retention, or throws if it is out of bounds. */
  public static Duration requireRetention(Duration retention) {
    if (retention.isNegative() || retention.compareTo(MAX_RETENTION) > 0) {
      throw new InvalidValueException("must be between 0 and 365 days");
    }
    return retention;
  }

  /** Whether this run, which may have ended, owns the token. */
  public boolean isOwnedBy(Run owner, Instant now) {
    return disposedAt.isEmpty()
        && owner.endedAt().filter(end -> !now.isBefore(end.plus(retention))).isEmpty();
  }

  /** The token as the source of a signal. */
  SourceHook source(HookId id) {
    return new SourceHook(id.hash(), name);
  }

  Hook disposed(Instant now) {
    return new Hook(run, name, createdAt, retention, Optional.of(now));
  }
}
