package dev.hapax.application.janitor;

import dev.hapax.application.entity.LostClaim;
import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.CancellableFutures;
import dev.hapax.application.waiting.PollPace;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.CompleteRecovery;
import dev.hapax.domain.entity.CompleteRecoveryOutcome;
import dev.hapax.domain.entity.EndedGrant;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.entity.EntityReads.Leases;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.janitor.RecordSweepRound;
import dev.hapax.domain.janitor.SweepRoundId;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/** Monitors janitors, and runs their sweeps and recoveries. */
public final class Janitors {
  private final Ledger ledger;
  private final JanitorReads reads;
  private final Runs runs;
  private final EntityReads entities;
  private final Waiters<JanitorId> waiters;
  private final JanitorMonitor monitor;
  private final RecoveryPolls polls;
  private final RemoteRounds rounds;

  /**
   * Creates the service.
   *
   * @param clock for the age of the cached status
   * @param random generates nonces
   */
  public Janitors(
      Ledger ledger,
      EntityReads entities,
      JanitorReads reads,
      Runs runs,
      WaiterQuota places,
      InstantSource clock,
      LongSupplier random,
      ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.reads = reads;
    this.runs = runs;
    this.entities = entities;
    this.waiters = new Waiters<>(places);
    this.monitor =
        new JanitorMonitor(
            reads, clock, new HostedSweeps(ledger, entities, clock, timer)::schedule, timer);
    this.polls = new RecoveryPolls(ledger, entities, waiters, clock, random, timer);
    this.rounds = new RemoteRounds(ledger, waiters, timer);
  }

  /** The repeated work that {@link #start} begins. */
  public Loop loop() {
    return monitor.loop();
  }

  /** Starts the monitoring and the sweeps of hosted janitors. */
  public void start() {
    monitor.start();
  }

  /** Draws the id of the run that an after-effect will start. */
  public RunId draw(Workspace workspace) {
    return new RunId(workspace, runs.draw());
  }

  /** Schedules the sweep of a declared contract, which may be due before the next query. */
  public void declared(JanitorId id, Janitor janitor) {
    monitor.declared(id, janitor);
  }

  /** Lists the janitors of a workspace by module, after one of them. */
  public CompletableFuture<Page<JanitorStatus, String>> list(
      Workspace workspace, int size, Optional<String> after) {
    return reads.list(workspace, size, after);
  }

  /**
   * Returns the cached status of the janitors of all workspaces, with the lag as of now. Empty
   * before {@link #start}.
   */
  public List<JanitorStatus> watched() {
    return monitor.last();
  }

  /** Reads the status of the janitors of all workspaces. */
  public CompletableFuture<List<JanitorStatus>> all() {
    return reads.list();
  }

  /**
   * Sweeps a bounded number of claims now.
   *
   * @param by the janitor itself, or an operator
   */
  public CompletableFuture<SweepOutcome> sweep(JanitorId janitor, Attribution by) {
    return reads
        .find(janitor)
        .thenCompose(
            found ->
                found
                    .flatMap(Janitor::contract)
                    .map(JanitorContract::mode)
                    .map(mode -> sweep(janitor, mode, by))
                    .orElseGet(() -> done(new SweepOutcome.NotFound())));
  }

  private CompletableFuture<SweepOutcome> sweep(
      JanitorId janitor, JanitorMode mode, Attribution by) {
    return switch (mode) {
      case HOSTED -> sweepHosted(janitor, by);
      case REMOTE -> done(new SweepOutcome.NotHosted());
    };
  }

  private CompletableFuture<SweepOutcome> sweepHosted(JanitorId janitor, Attribution by) {
    return new Sweep(ledger, entities, Leases.all(janitor), by)
        .run()
        .thenCompose(
            swept ->
                ledger
                    .submit(
                        new RecordSweepRound(
                            new SweepRoundId(janitor),
                            JanitorMode.HOSTED,
                            swept.freed(),
                            swept.complete()))
                    .<SweepOutcome>thenApply(
                        _ -> new SweepOutcome.Swept(swept.freed(), swept.complete())));
  }

  private static <O> CompletableFuture<O> done(O outcome) {
    return CompletableFuture.completedFuture(outcome);
  }

  /** Polls with a wait that no deadline bounds. */
  public CompletableFuture<PollOutcome> poll(PollRecoveries request, Duration wait) {
    return poll(request, PollPace.Wait.of(wait));
  }

  /**
   * Polls for recoveries until an entity is stuck or the wait ends. A retry with the same attempt
   * id gets the same grants, renewed. Cancelling the future frees the place. Recoveries granted
   * meanwhile are held until such a retry, or until their leases expire.
   */
  public CompletableFuture<PollOutcome> poll(PollRecoveries request, PollPace.Wait wait) {
    return CancellableFutures.then(
        monitor.contract(request.janitor()),
        found ->
            found
                .map(contract -> poll(request, contract, wait))
                .orElseGet(() -> done(new PollOutcome.NotFound())));
  }

  private CompletableFuture<PollOutcome> poll(
      PollRecoveries request, JanitorContract contract, PollPace.Wait wait) {
    return switch (contract.mode()) {
      case HOSTED -> done(new PollOutcome.NotRemote());
      case REMOTE -> {
        rounds.onPoll(request.janitor(), contract.timing().every());
        yield CancellableFutures.then(
            polls.poll(request, wait), claimed -> done(new PollOutcome.Recoveries(claimed)));
      }
    };
  }

  /** Completes a recovery with the module's verdict. */
  public CompletableFuture<CompleteRecoveryOutcome> complete(CompleteRecovery command) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case CompleteRecoveryOutcome.Recovered(_, var effect, _) -> {
                    effect.ifPresent(runs::onRunChanged);
                    yield done(outcome);
                  }
                  case ActionClaimLost lost ->
                      LostClaim.of(command.claim(), lost, entities)
                          .resolve(
                              how(command.verdict()),
                              entity ->
                                  new CompleteRecoveryOutcome.Recovered(
                                      entity, Optional.empty(), true),
                              loss -> loss);
                });
  }

  private static EndedGrant.How how(RecoveryVerdict verdict) {
    return switch (verdict) {
      case COMPLETE -> EndedGrant.How.RECOVERED_DONE;
      case REVERT -> EndedGrant.How.RECOVERED_UNDONE;
    };
  }

  /** Ends every waiting poll with the recoveries it has; later polls do not wait. */
  public void stopWaiting() {
    waiters.close();
  }
}
