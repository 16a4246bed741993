package dev.hapax.application.janitor;

import dev.hapax.application.janitor.StaleScanWindows.Scan;
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
 * Runs the due sweeps of hosted janitors, unless another node is sweeping. Sweeps one janitor after
 * another, a bounded number of claims each, so that a backlog of one module does not delay the
 * others.
 */
final class HostedSweeps {
  /** Before the next attempt of a sweep that freed nothing because commands failed. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Ledger ledger;
  private final EntityReads entities;
  private final StaleScanWindows windows;
  private final FailureLog log = new FailureLog(HostedSweeps.class, "sweep of a hosted janitor");
  private final SingleFlight sweeps;
  private final ScheduledExecutorService timer;

  // guarded by this
  private final Set<JanitorId> planned = new HashSet<>();
  private final Queue<Turn> turns = new ArrayDeque<>();

  /** A sweep round that has begun. */
  private record Turn(JanitorId janitor, Duration every) {}

  HostedSweeps(
      Ledger ledger, EntityReads entities, InstantSource clock, ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.entities = entities;
    this.windows = new StaleScanWindows(clock);
    this.timer = timer;
    this.sweeps = new SingleFlight(this::sweepNext, Duration.ZERO, log, timer);
  }

  /** Schedules a sweep if it is due before the next query for janitors. */
  void schedule(JanitorStatus status) {
    status
        .janitor()
        .due(status.last(), status.at())
        .map(due -> Duration.between(status.at(), due))
        .filter(in -> in.compareTo(JanitorMonitor.INTERVAL) < 0)
        .ifPresent(in -> plan(status.id(), in));
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
                  // the round may have begun, which the next query for janitors shows
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
    var scan = windows.begin(turn.janitor());
    return new Sweep(ledger, entities, scan.leases(), scan.leases().janitor().attribution())
        .run()
        .whenComplete((swept, _) -> completeScan(scan, swept))
        .thenCompose(swept -> record(turn, swept))
        .whenComplete(
            (swept, _) -> {
              planNext(turn, swept);
              // continue with the next janitor
              sweeps.request();
            });
  }

  /** Completes the scan; null = the sweep failed. */
  private void completeScan(Scan scan, @Nullable Swept swept) {
    if (swept != null && swept.complete()) {
      windows.completed(scan);
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

  /**
   * Plans the next sweep; null = the sweep failed, and any node takes over after {@link
   * SweepRound#TAKEOVER_AFTER}.
   */
  private void planNext(Turn turn, @Nullable Swept swept) {
    if (swept == null) {
      forget(turn.janitor());
    } else if (swept.complete()) {
      forget(turn.janitor());
      if (turn.every().compareTo(JanitorMonitor.INTERVAL) < 0) {
        plan(turn.janitor(), turn.every());
      }
    } else if (swept.freed() > 0) {
      add(turn);
    } else {
      var _ = timer.schedule(() -> add(turn), PAUSE.toNanos(), TimeUnit.NANOSECONDS);
    }
  }
}
