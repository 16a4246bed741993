package dev.hapax.application.lifecycle;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Page;
import dev.hapax.domain.TooManyException;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.ApplyLifecycle;
import dev.hapax.domain.lifecycle.ApplyLifecycleOutcome;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.lifecycle.RetireStatuses;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** Applies lifecycles, and looks at them. */
public final class Lifecycles {
  /** How many entities are named that stand in the way of a change. */
  public static final int MAX_STRANDED = 20;

  /** A change that was let look and could not be made in time looks again this often. */
  private static final int LOOKS = 3;

  private final Ledger ledger;
  private final LifecycleReads reads;
  private final EntityReads entities;
  private final LongSupplier random;

  /**
   * Puts it together.
   *
   * @param random draws nonces
   */
  public Lifecycles(
      Ledger ledger, LifecycleReads reads, EntityReads entities, LongSupplier random) {
    this.ledger = ledger;
    this.reads = reads;
    this.entities = entities;
    this.random = random;
  }

  /**
   * Lets entities follow a lifecycle from now on. Statuses go only when no entity is in them: they
   * are closed, looked at, and gone or open again. One that is applied already is only read: every
   * server does this at its start, and a change has to wait for all who begin something by it.
   * Fails with {@link TooManyException} if it is one more than there may be.
   */
  public CompletableFuture<ApplyOutcome> apply(
      Workspace workspace, Lifecycle lifecycle, Attribution by) {
    var command =
        new ApplyLifecycle(workspace, lifecycle, Optional.empty(), random.getAsLong(), by);
    return reads
        .find(command.id())
        .thenCompose(
            found ->
                found
                    .map(applied -> change(command, applied))
                    .orElseGet(() -> applyFirst(command)));
  }

  private CompletableFuture<ApplyOutcome> change(ApplyLifecycle command, AppliedLifecycle found) {
    return found.lifecycle().equals(command.lifecycle())
        ? done(new ApplyOutcome.Applied(found, true))
        : apply(command.expecting(found), LOOKS);
  }

  private CompletableFuture<ApplyOutcome> applyFirst(ApplyLifecycle command) {
    return reads
        .hasRoom(command.id())
        .thenCompose(hasRoom -> hasRoom ? apply(command, LOOKS) : tooMany());
  }

  private static CompletableFuture<ApplyOutcome> tooMany() {
    return CompletableFuture.failedFuture(
        new TooManyException("lifecycles", LifecycleReads.MAX_PER_WORKSPACE));
  }

  private CompletableFuture<ApplyOutcome> apply(ApplyLifecycle command, int looks) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case ApplyLifecycleOutcome.Applied(var applied, var already) ->
                      done(new ApplyOutcome.Applied(applied, already));
                  case ApplyLifecycleOutcome.Uncovered(var missing) ->
                      done(new ApplyOutcome.Uncovered(missing));
                  case ApplyLifecycleOutcome.Undefined(var definition) ->
                      done(new ApplyOutcome.Undefined(definition));
                  case ApplyLifecycleOutcome.RetireFirst(var statuses) ->
                      looks > 0
                          ? retire(command, statuses, looks)
                          : done(new ApplyOutcome.Changing());
                });
  }

  private static CompletableFuture<ApplyOutcome> done(ApplyOutcome outcome) {
    return CompletableFuture.completedFuture(outcome);
  }

  private CompletableFuture<ApplyOutcome> retire(
      ApplyLifecycle command, Set<String> statuses, int looks) {
    return ledger
        .submit(new RetireStatuses(command.id(), command.nonce(), statuses))
        .thenCompose(
            closed -> closed ? look(command, statuses, looks) : done(new ApplyOutcome.Changing()));
  }

  /** Whatever began before the statuses were closed is there to be seen. */
  private CompletableFuture<ApplyOutcome> look(
      ApplyLifecycle command, Set<String> statuses, int looks) {
    return entities
        .stranded(command.id(), statuses, MAX_STRANDED + 1)
        .thenCompose(
            stranded ->
                stranded.isEmpty()
                    ? apply(command, looks - 1)
                    : giveUp(command, stranded, statuses));
  }

  private CompletableFuture<ApplyOutcome> giveUp(
      ApplyLifecycle command, List<Entity> stranded, Set<String> statuses) {
    return ledger
        .submit(new RetireStatuses(command.id(), command.nonce(), Set.of()))
        .<ApplyOutcome>thenApply(
            _ ->
                new ApplyOutcome.InUse(
                    stranded.stream().limit(MAX_STRANDED).toList(),
                    stranded.size() <= MAX_STRANDED,
                    statuses));
  }

  public CompletableFuture<Optional<AppliedLifecycle>> find(LifecycleId id) {
    return reads.find(id);
  }

  /** A part of those of a workspace, by name, behind one of them. */
  public CompletableFuture<Page<AppliedLifecycle, String>> list(
      Workspace workspace, int size, Optional<String> after) {
    return reads.list(workspace, size, after);
  }
}
