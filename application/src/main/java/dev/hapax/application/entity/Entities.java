package dev.hapax.application.entity;

import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.CancellableFutures;
import dev.hapax.application.waiting.RecordPoll;
import dev.hapax.application.waiting.RecordPoll.Next;
import dev.hapax.application.waiting.RemoteChangeProbe;
import dev.hapax.application.waiting.TooManyWaitersException;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.BeginAction;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.CompleteAction;
import dev.hapax.domain.entity.CompleteActionOutcome;
import dev.hapax.domain.entity.CreateEntity;
import dev.hapax.domain.entity.CreateEntityOutcome;
import dev.hapax.domain.entity.DeleteEntity;
import dev.hapax.domain.entity.DeleteEntityOutcome;
import dev.hapax.domain.entity.EndedGrant;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.entity.FailAction;
import dev.hapax.domain.entity.FailActionOutcome;
import dev.hapax.domain.entity.ReleaseClaim;
import dev.hapax.domain.entity.ReleaseClaimOutcome;
import dev.hapax.domain.entity.RenewAction;
import dev.hapax.domain.entity.RenewActionOutcome;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.Predicate;

/** The operations on entities and their actions; a Begin may wait. */
public final class Entities {
  /** The retry interval while a change of the lifecycle is in progress. */
  private static final Duration CHANGING = Duration.ofMillis(500);

  private final Ledger ledger;
  private final EntityReads reads;
  private final Runs runs;
  private final Waiters<EntityId> waiters;
  private final ScheduledExecutorService timer;
  private final OwnerModules modules = new OwnerModules();
  private final ClaimReleases releases;

  public Entities(
      Ledger ledger,
      EntityReads reads,
      Runs runs,
      WaiterQuota places,
      ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.reads = reads;
    this.runs = runs;
    this.waiters = Waiters.oneByOne(places);
    this.timer = timer;
    this.releases = new ClaimReleases(ledger, reads, runs);
    ledger.onCommit(waiters::wake);
    ledger.onRemoteCommit(new RemoteChangeProbe<>(waiters, reads::free, timer)::wakeChanged);
  }

  /** An id for the run of an after-effect to come. */
  public RunId draw(Workspace workspace) {
    return new RunId(workspace, runs.draw());
  }

  /**
   * Creates an entity.
   *
   * @param maxWait the longest wait for a change of the lifecycle
   */
  public CompletableFuture<CreateEntityOutcome> create(CreateEntity command, Duration maxWait) {
    return whileChanging(
        command.entity(),
        ledger.submit(command),
        _ -> ledger.submit(command),
        CreateEntityOutcome.Changing.class::isInstance,
        maxWait);
  }

  /**
   * Begins; while another holder's lease is live, waits for it. Cancelling the future ends the
   * wait; a grant that was under way stands until its lease ends.
   *
   * @param wait the longest wait for a holder
   * @param maxWait the longest wait in total, for a change of the lifecycle
   */
  public CompletableFuture<BeginActionOutcome> begin(
      BeginAction command, Duration wait, Duration maxWait) {
    Function<Duration, CompletableFuture<BeginActionOutcome>> attempt =
        waited -> attempt(command, waited);
    var first =
        wait.isZero()
            ? attempt.apply(Duration.ZERO)
            : new RecordPoll<>(command.entity(), waiters, timer, attempt, Entities::next)
                .start(wait);
    return whileChanging(
        command.entity(),
        first,
        attempt,
        BeginActionOutcome.Changing.class::isInstance,
        maxWait.minus(wait));
  }

  private CompletableFuture<BeginActionOutcome> attempt(BeginAction command, Duration waited) {
    var owner = modules.of(command.entity().lifecycleId());
    return CancellableFutures.then(
        ledger.submit(command.expecting(owner)),
        outcome -> {
          if (outcome instanceof BeginActionOutcome.Granted granted) {
            modules.keep(command.entity().lifecycleId(), granted.claim().module());
            return CompletableFuture.completedFuture(granted.afterWaiting(waited));
          }
          return CompletableFuture.completedFuture(outcome);
        });
  }

  private static Next next(BeginActionOutcome outcome) {
    return switch (outcome) {
      case BeginActionOutcome.ClaimFailed(_, var leaseRemaining) -> new Next.Within(leaseRemaining);
      case BeginActionOutcome.Changing() -> new Next.Later(CHANGING);
      case BeginActionOutcome.Granted(var claim, _, _, _, _, _) when claim.exclusive() ->
          new Next.Taken();
      case BeginActionOutcome.Granted _,
          BeginActionOutcome.WrongStatus _,
          BeginActionOutcome.NotAllowed _,
          BeginActionOutcome.NeedsRecovery _,
          BeginActionOutcome.NoLifecycle _,
          BeginActionOutcome.NoEntity _,
          BeginActionOutcome.Moved _ ->
          new Next.Answer();
    };
  }

  /**
   * Retries a command while a change of the lifecycle is in progress, which takes seconds, if the
   * workspace has a free place to wait.
   */
  private <O> CompletableFuture<O> whileChanging(
      EntityId entity,
      CompletableFuture<O> first,
      Function<Duration, CompletableFuture<O>> retry,
      Predicate<O> isChanging,
      Duration maxWait) {
    return CancellableFutures.then(
        first,
        outcome -> {
          if (!isChanging.test(outcome) || !maxWait.isPositive()) {
            return CompletableFuture.completedFuture(outcome);
          }
          try {
            return new RecordPoll<>(
                    entity,
                    waiters,
                    timer,
                    retry,
                    later -> isChanging.test(later) ? new Next.Later(CHANGING) : new Next.Answer())
                .start(maxWait);
          } catch (TooManyWaitersException _) {
            return CompletableFuture.completedFuture(outcome);
          }
        });
  }

  /** Renews the lease of an action. */
  public CompletableFuture<RenewActionOutcome> renew(RenewAction command) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case RenewActionOutcome.Renewed _ -> CompletableFuture.completedFuture(outcome);
                  case ActionClaimLost lost ->
                      LostClaim.of(command.claim(), lost, reads).loss().thenApply(loss -> loss);
                });
  }

  /**
   * Completes an action.
   *
   * @param maxWait the longest wait for a change of the lifecycle
   */
  public CompletableFuture<CompleteActionOutcome> complete(
      CompleteAction command, Duration maxWait) {
    return CancellableFutures.then(
        whileChanging(
            command.entity(),
            ledger.submit(command),
            _ -> ledger.submit(command),
            CompleteActionOutcome.Changing.class::isInstance,
            maxWait),
        outcome -> completed(command, outcome));
  }

  private CompletableFuture<CompleteActionOutcome> completed(
      CompleteAction command, CompleteActionOutcome outcome) {
    return switch (outcome) {
      case CompleteActionOutcome.Completed(_, var effect, _) -> {
        effect.ifPresent(runs::onRunChanged);
        yield CompletableFuture.completedFuture(outcome);
      }
      case CompleteActionOutcome.Changing _ -> CompletableFuture.completedFuture(outcome);
      case ActionClaimLost lost ->
          LostClaim.of(command.claim(), lost, reads)
              .resolve(
                  EndedGrant.How.COMPLETED,
                  entity -> new CompleteActionOutcome.Completed(entity, Optional.empty(), true),
                  loss -> loss);
    };
  }

  /** Fails an action. */
  public CompletableFuture<FailActionOutcome> fail(FailAction command) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case FailActionOutcome.Failed _ -> CompletableFuture.completedFuture(outcome);
                  case ActionClaimLost lost ->
                      LostClaim.of(command.claim(), lost, reads)
                          .resolve(
                              EndedGrant.How.FAILED,
                              entity -> new FailActionOutcome.Failed(entity, true),
                              loss -> loss);
                });
  }

  /** Takes an entity back; a request that has done so before changes nothing. */
  public CompletableFuture<ReleaseClaimOutcome> release(ReleaseClaim command) {
    return releases.release(command);
  }

  /** Deletes an entity; a repeated request changes nothing. */
  public CompletableFuture<DeleteEntityOutcome> delete(DeleteEntity command) {
    return reads
        .isDeleted(command.entity(), command.requestId())
        .thenCompose(
            already ->
                already
                    ? CompletableFuture.completedFuture(new DeleteEntityOutcome.Deleted(true))
                    : ledger.submit(command));
  }

  public CompletableFuture<Optional<Entity>> find(EntityId id) {
    return reads.find(id);
  }

  /** Lists entities in order of lifecycle and id. */
  public CompletableFuture<Page<Entity, EntityId>> list(EntityReads.Query query) {
    return reads.list(query);
  }

  /** Lists events in order, from the first after version {@code after}. */
  public CompletableFuture<Page<EntityEvent, Long>> events(EntityId id, long after, int size) {
    return reads.events(id, after, size);
  }

  /** Ends every wait with the current outcome. */
  public void stopWaiting() {
    waiters.close();
  }
}
