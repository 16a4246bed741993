package dev.hapax.application.entity;

import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.Places;
import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.BeginAction;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.CompleteAction;
import dev.hapax.domain.entity.CompleteActionOutcome;
import dev.hapax.domain.entity.CreateEntity;
import dev.hapax.domain.entity.CreateEntityOutcome;
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

/** Entities and the actions on them; a Begin may wait. */
public final class Entities {
  private final Ledger ledger;
  private final EntityReads reads;
  private final Runs runs;

  public Entities(
      Ledger ledger, EntityReads reads, Runs runs, Places places, ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.reads = reads;
    this.runs = runs;
  }

  /** An id for the run of an after-effect to come. */
  public RunId draw(Workspace workspace) {
    return new RunId(workspace, runs.draw());
  }

  /** Lets an entity begin to follow its lifecycle; waits while that is being changed. */
  public CompletableFuture<CreateEntityOutcome> create(CreateEntity command) {
    return ledger.submit(command);
  }

  /**
   * Begins; while another holder's lease is live, waits for it. Never answers {@link
   * BeginActionOutcome.KnowFirst}: the module of the command is only a guess, any name will do.
   * Cancelling the future ends the wait.
   */
  public CompletableFuture<BeginActionOutcome> begin(BeginAction command, Duration wait) {
    return ledger.submit(command);
  }

  public CompletableFuture<RenewActionOutcome> renew(RenewAction command) {
    return ledger.submit(command);
  }

  public CompletableFuture<CompleteActionOutcome> complete(CompleteAction command) {
    return ledger.submit(command);
  }

  public CompletableFuture<FailActionOutcome> fail(FailAction command) {
    return ledger.submit(command);
  }

  /** Takes an entity back; a request that has done so before changes nothing. */
  public CompletableFuture<ReleaseClaimOutcome> release(ReleaseClaim command) {
    return ledger.submit(command);
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
  public void stopWaiting() {}
}
