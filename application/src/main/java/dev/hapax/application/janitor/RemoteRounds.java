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
 * Records the polls of remote janitors as sweep rounds. Records only some of them, but enough that
 * an active janitor is never overdue.
 */
final class RemoteRounds {
  private static final int PER_PERIOD = 2;
  private static final Duration AT_LEAST = Duration.ofSeconds(10);

  private final Ledger ledger;
  private final Waiters<JanitorId> waiters;
  private final ScheduledExecutorService timer;
  private final Set<RecordedPoll> recorded = ConcurrentHashMap.newKeySet();

  /** A janitor with its interval, so that a changed interval causes a new record. */
  private record RecordedPoll(JanitorId janitor, Duration every) {}

  RemoteRounds(Ledger ledger, Waiters<JanitorId> waiters, ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.waiters = waiters;
    this.timer = timer;
  }

  /** Records the poll of a module, unless one was recorded recently. */
  void onPoll(JanitorId janitor, Duration every) {
    var round = new RecordedPoll(janitor, every);
    if (recorded.add(round)) {
      // if this fails, the next poll is recorded
      var _ =
          ledger.submit(
              new RecordSweepRound(new SweepRoundId(janitor), JanitorMode.REMOTE, 0, true));
      var share = every.dividedBy(PER_PERIOD);
      var pause = share.compareTo(AT_LEAST) < 0 ? AT_LEAST : share;
      var _ = timer.schedule(() -> rested(round), pause.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void rested(RecordedPoll round) {
    recorded.remove(round);
    if (waiters.has(round.janitor())) {
      onPoll(round.janitor(), round.every());
    }
  }
}
