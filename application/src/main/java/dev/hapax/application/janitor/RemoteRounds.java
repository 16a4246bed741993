package dev.hapax.application.janitor;

import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.RecordRound;
import dev.hapax.domain.janitor.RoundId;
import dev.hapax.domain.ledger.Ledger;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Keeps that modules look: a module that polls, or waits in a poll, is at its round. Not each poll
 * is kept, but enough of them that no janitor that lives looks late.
 */
final class RemoteRounds {
  private static final int PER_PERIOD = 2;
  private static final Duration AT_LEAST = Duration.ofSeconds(10);

  private final Ledger ledger;
  private final Waiters<JanitorId> waiters;
  private final ScheduledExecutorService timer;
  private final Set<JanitorId> kept = ConcurrentHashMap.newKeySet();

  RemoteRounds(Ledger ledger, Waiters<JanitorId> waiters, ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.waiters = waiters;
    this.timer = timer;
  }

  /** A module polls, or still waits. */
  void saw(JanitorId janitor, Duration every) {
    if (kept.add(janitor)) {
      // one that is not kept is followed by the next
      var _ = ledger.submit(new RecordRound(new RoundId(janitor), 0, true));
      var share = every.dividedBy(PER_PERIOD);
      var pause = share.compareTo(AT_LEAST) < 0 ? AT_LEAST : share;
      var _ = timer.schedule(() -> rested(janitor, every), pause.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void rested(JanitorId janitor, Duration every) {
    kept.remove(janitor);
    if (waiters.has(janitor)) {
      saw(janitor, every);
    }
  }
}
