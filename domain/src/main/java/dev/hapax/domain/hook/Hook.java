package dev.hapax.domain.hook;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.SourceHook;
import dev.hapax.domain.Text;
import dev.hapax.domain.run.AwaitedToken;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The record of a hook token: the run that acquired it last. Whether that run still owns the token
 * depends on the run's state, so the write that ends a run also frees its tokens. A token that no
 * run has acquired names the first run that waited for it.
 *
 * @param name by which steps of the run wait for its signals; empty = none
 * @param retention how long the run still owns the token after its end
 * @param disposedAt when the token was disposed of; empty = it was not
 * @param turns of the runs that wait for the token
 */
public record Hook(
    RunId run,
    String name,
    Instant createdAt,
    Duration retention,
    Optional<Instant> disposedAt,
    Turns turns) {
  public static final Duration MAX_RETENTION = Duration.ofDays(365);

  public Hook {
    Text.name(name);
    requireRetention(retention);
  }

  /** A token that no run has waited for. */
  public Hook(
      RunId run, String name, Instant createdAt, Duration retention, Optional<Instant> disposedAt) {
    this(run, name, createdAt, retention, disposedAt, Turns.NONE);
  }

  /** A token that a run acquires, or waits for as the first one. */
  static Hook of(
      Optional<Hook> before, RunId run, String name, Duration retention, Instant acquiredAt) {
    return new Hook(
        run,
        name,
        acquiredAt,
        retention,
        Optional.empty(),
        before.map(Hook::turns).orElse(Turns.NONE));
  }

  /** Returns the retention, or throws if it is out of bounds. */
  public static Duration requireRetention(Duration retention) {
    if (retention.isNegative() || retention.compareTo(MAX_RETENTION) > 0) {
      throw new InvalidValueException("must be between 0 and 365 days");
    }
    return retention;
  }

  /**
   * Whether this run, which may have ended, owns the token. A run that waits for tokens has none.
   */
  public boolean isOwnedBy(Run owner, Instant now) {
    return disposedAt.isEmpty()
        && !owner.tokens().isAwaiting()
        && owner.endedAt().filter(end -> !now.isBefore(end.plus(retention))).isEmpty();
  }

  /** The line of the token, by its hash; empty = no run waits. */
  List<UUID> line(HookId id) {
    return turns.waiting() > 0 ? List.of(id.hash()) : List.of();
  }

  /** The token as the source of a signal. */
  SourceHook source(HookId id) {
    return new SourceHook(id.hash(), name);
  }

  Hook disposed(Instant now) {
    return new Hook(run, name, createdAt, retention, Optional.of(now), turns);
  }

  Hook with(Turns next) {
    return new Hook(run, name, createdAt, retention, disposedAt, next);
  }

  /** The token as this run will own it, if it still waits for it. */
  Hook awaitedBy(Run waiting, HookId id) {
    var own =
        waiting.tokens().awaited().stream()
            .filter(token -> token.hash().equals(id.hash()))
            .findFirst();
    return new Hook(
        waiting.id(),
        own.map(AwaitedToken::name).orElse(""),
        waiting.blocked().map(Phase.Blocked::since).orElse(createdAt),
        own.map(AwaitedToken::retention).orElse(Duration.ZERO),
        Optional.empty(),
        turns);
  }
}
