package dev.hapax.application.janitor;

import dev.hapax.application.janitor.StaleScanWindows.Look;
import dev.hapax.application.janitor.Sweep.Swept;
import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.SingleFlight;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.janitor.BeginSweepRound;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.janitor.RecordSweepRound;
import dev.hapax.domain.janitor.SweepRoundId;
import dev.hapax.domain.ledger.Ledger;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sweeps for the janitors that this server is, when their time has come and no other node is at it.
 * One sweep at a time, each janitor in its turn: what is stuck in one module keeps no other
 * waiting.
 */
final class HostedSweeps {
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Ledger ledger;
  private final EntityReads entities;
  private final StaleScanWindows looks;
  private final FailureLog log = new FailureLog(HostedSweeps.class, "sweep of a hosted janitor");
  private final SingleFlight sweeps;
  private final ScheduledExecutorService timer;

  // guarded by this
  private final Set<JanitorId> planned = new HashSet<>();
  private final Queue<Turn> turns = new ArrayDeque<>();

  /** A round that was begun. */
  private record Turn(JanitorId janitor, Duration every) {}

  HostedSweeps(
      Ledger ledger, EntityReads entities, InstantSource clock, ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.entities = entities;
    this.looks = new StaleScanWindows(clock);
    this.timer = timer;
    this.sweeps = new SingleFlight(this::sweepNext, Duration.ZERO, log, timer);
  }

  /** Sweeps for it, if its time comes before it is seen again. */
  void saw(JanitorStatus watched) {
    watched
        .janitor()
        .due(watched.last())
        .map(due -> Duration.between(watched.at(), due))
        .filter(in -> in.compareTo(JanitorMonitor.LOOK) < 0)
        .ifPresent(in -> plan(watched.id(), in));
  }

  private void plan(JanitorId janitor, Duration in) {
    synchronized (this) {
      if (!planned.add(janitor)) {
        return;
      }
    }
    var _ = timer.schedule(() -> begin(janitor), Math.max(0, in.toNanos()), TimeUnit.NANOSECONDS);
  }

  private void begin(JanitorId janitor) {
    var _ =
        ledger
            .submit(new BeginSweepRound(new SweepRoundId(janitor)))
            .exceptionally(
                failure -> {
                  log.failed(failure);
                  // it may have begun: the next query for janitors shows that
                  return Optional.empty();
                })
            .thenAccept(turn -> begun(janitor, turn));
  }

  private void begun(JanitorId janitor, Optional<JanitorContract> turn) {
    turn.ifPresentOrElse(
        contract -> add(new Turn(janitor, contract.timing().every())), () -> forget(janitor));
  }

  private synchronized void forget(JanitorId janitor) {
    planned.remove(janitor);
  }

  private void add(Turn turn) {
    synchronized (this) {
      turns.add(turn);
    }
    sweeps.request();
  }

  private synchronized Optional<Turn> next() {
    return Optional.ofNullable(turns.poll());
  }

  private CompletableFuture<?> sweepNext() {
    return next()
        .<CompletableFuture<?>>map(this::sweep)
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  private CompletableFuture<?> sweep(Turn turn) {
    var look = looks.begin(turn.janitor());
    return new Sweep(ledger, entities, look.leases(), look.leases().janitor().attribution())
        .run()
        .whenComplete((swept, _) -> swept(look, swept))
        .thenCompose(swept -> record(turn, swept))
        .whenComplete(
            (swept, _) -> {
              swept(turn, swept);
              // for the janitors whose turn is next
              sweeps.request();
            });
  }

  /** Nothing = it failed. */
  private void swept(Look look, @Nullable Swept swept) {
    if (swept != null && swept.complete()) {
      looks.seen(look);
    }
  }

  private CompletableFuture<Swept> record(Turn turn, Swept swept) {
    return ledger
        .submit(
            new RecordSweepRound(
                new SweepRoundId(turn.janitor()),
                JanitorMode.HOSTED,
                swept.freed(),
                swept.complete()))
        .thenApply(_ -> swept);
  }

  /** Nothing = it failed: whoever finds the round stalled goes on. */
  private void swept(Turn turn, @Nullable Swept swept) {
    if (swept == null) {
      forget(turn.janitor());
    } else if (swept.complete()) {
      forget(turn.janitor());
      if (turn.every().compareTo(JanitorMonitor.LOOK) < 0) {
        plan(turn.janitor(), turn.every());
      }
    } else if (swept.freed() > 0) {
      add(turn);
    } else {
      var _ = timer.schedule(() -> add(turn), PAUSE.toNanos(), TimeUnit.NANOSECONDS);
    }
  }
}
