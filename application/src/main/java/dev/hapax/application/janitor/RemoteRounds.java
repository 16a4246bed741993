package dev.hapax.application.janitor;

import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.RecordSweepRound;
import dev.hapax.domain.janitor.SweepRoundId;
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
  private final Set<Kept> kept = ConcurrentHashMap.newKeySet();

  /** A janitor that declares other times is kept anew. */
  private record Kept(JanitorId janitor, Duration every) {}

  RemoteRounds(Ledger ledger, Waiters<JanitorId> waiters, ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.waiters = waiters;
    this.timer = timer;
  }

  /** A module polls, or still waits. */
  void saw(JanitorId janitor, Duration every) {
    var round = new Kept(janitor, every);
    if (kept.add(round)) {
      // one that is not kept is followed by the next
      var _ =
          ledger.submit(
              new RecordSweepRound(new SweepRoundId(janitor), JanitorMode.REMOTE, 0, true));
      var share = every.dividedBy(PER_PERIOD);
      var pause = share.compareTo(AT_LEAST) < 0 ? AT_LEAST : share;
      var _ = timer.schedule(() -> rested(round), pause.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void rested(Kept round) {
    kept.remove(round);
    if (waiters.has(round.janitor())) {
      saw(round.janitor(), round.every());
    }
  }
}
