package dev.hapax.application.entity;

import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.CancellableFutures;
import dev.hapax.application.waiting.LongPoll;
import dev.hapax.application.waiting.LongPoll.Next;
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

/** Entities and the actions on them; a Begin may wait. */
public final class Entities {
  /** How often it is tried again while a lifecycle is being changed. */
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
    ledger.onForeignCommit(new RemoteChangeProbe<>(waiters, reads::free, timer)::look);
  }

  /** An id for the run of an after-effect to come. */
  public RunId draw(Workspace workspace) {
    return new RunId(workspace, runs.draw());
  }

  /**
   * Lets an entity begin to follow its lifecycle.
   *
   * @param patience how long to wait at most while the lifecycle is being changed
   */
  public CompletableFuture<CreateEntityOutcome> create(CreateEntity command, Duration patience) {
    return whileChanging(
        command.entity(),
        ledger.submit(command),
        _ -> ledger.submit(command),
        CreateEntityOutcome.Changing.class::isInstance,
        patience);
  }

  /**
   * Begins; while another holder's lease is live, waits for it. Cancelling the future ends the
   * wait; a grant that was under way stands until its lease ends.
   *
   * @param wait how long to wait for a holder
   * @param patience how long to wait at most in all while the lifecycle is being changed
   */
  public CompletableFuture<BeginActionOutcome> begin(
      BeginAction command, Duration wait, Duration patience) {
    Function<Duration, CompletableFuture<BeginActionOutcome>> attempt =
        waited -> attempt(command, waited);
    var first =
        wait.isZero()
            ? attempt.apply(Duration.ZERO)
            : new LongPoll<>(command.entity(), waiters, timer, attempt, Entities::next).start(wait);
    return whileChanging(
        command.entity(),
        first,
        attempt,
        BeginActionOutcome.Changing.class::isInstance,
        patience.minus(wait));
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
   * A lifecycle is changed within seconds: what is refused meanwhile is tried again that long,
   * while there is a place to wait in.
   */
  private <O> CompletableFuture<O> whileChanging(
      EntityId entity,
      CompletableFuture<O> first,
      Function<Duration, CompletableFuture<O>> again,
      Predicate<O> isChanging,
      Duration patience) {
    return CancellableFutures.then(
        first,
        outcome -> {
          if (!isChanging.test(outcome) || !patience.isPositive()) {
            return CompletableFuture.completedFuture(outcome);
          }
          try {
            return new LongPoll<>(
                    entity,
                    waiters,
                    timer,
                    again,
                    later -> isChanging.test(later) ? new Next.Later(CHANGING) : new Next.Answer())
                .start(patience);
          } catch (TooManyWaitersException _) {
            return CompletableFuture.completedFuture(outcome);
          }
        });
  }

  /** Keeps the lease from ending. */
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
   * Ends an action that succeeded.
   *
   * @param patience how long to wait at most while the lifecycle is being changed
   */
  public CompletableFuture<CompleteActionOutcome> complete(
      CompleteAction command, Duration patience) {
    return CancellableFutures.then(
        whileChanging(
            command.entity(),
            ledger.submit(command),
            _ -> ledger.submit(command),
            CompleteActionOutcome.Changing.class::isInstance,
            patience),
        outcome -> completed(command, outcome));
  }

  private CompletableFuture<CompleteActionOutcome> completed(
      CompleteAction command, CompleteActionOutcome outcome) {
    return switch (outcome) {
      case CompleteActionOutcome.Completed(_, var effect, _) -> {
        effect.ifPresent(runs::saw);
        yield CompletableFuture.completedFuture(outcome);
      }
      case CompleteActionOutcome.Changing _ -> CompletableFuture.completedFuture(outcome);
      case ActionClaimLost lost ->
          LostClaim.of(command.claim(), lost, reads)
              .told(
                  EndedGrant.How.COMPLETED,
                  entity -> new CompleteActionOutcome.Completed(entity, Optional.empty(), true),
                  loss -> loss);
    };
  }

  /** Ends an action that came to nothing. */
  public CompletableFuture<FailActionOutcome> fail(FailAction command) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case FailActionOutcome.Failed _ -> CompletableFuture.completedFuture(outcome);
                  case ActionClaimLost lost ->
                      LostClaim.of(command.claim(), lost, reads)
                          .told(
                              EndedGrant.How.FAILED,
                              entity -> new FailActionOutcome.Failed(entity, true),
                              loss -> loss);
                });
  }

  /** Takes an entity back; a request that has done so before changes nothing. */
  public CompletableFuture<ReleaseClaimOutcome> release(ReleaseClaim command) {
    return releases.release(command);
  }

  /** Removes an entity; a request that has done so before changes nothing. */
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

  /** By lifecycle and id. */
  public CompletableFuture<Page<Entity, EntityId>> list(EntityReads.Query query) {
    return reads.list(query);
  }

  /** In order, from the one behind {@code after}. */
  public CompletableFuture<Page<EntityEvent, Long>> events(EntityId id, long after, int size) {
    return reads.events(id, after, size);
  }

  /** Ends every wait with what is decided then. */
  public void stopWaiting() {
    waiters.close();
  }
}
