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

/** Applies and reads lifecycles. */
public final class Lifecycles {
  /** The largest number of listed entities that prevent a change. */
  public static final int MAX_STRANDED = 20;

  /** The number of searches before a change that cannot finish in time is abandoned. */
  private static final int SEARCHES = 3;

  private final Ledger ledger;
  private final LifecycleReads reads;
  private final EntityReads entities;
  private final LongSupplier random;

  /**
   * Creates the service.
   *
   * @param random generates nonces
   */
  public Lifecycles(
      Ledger ledger, LifecycleReads reads, EntityReads entities, LongSupplier random) {
    this.ledger = ledger;
    this.reads = reads;
    this.entities = entities;
    this.random = random;
  }

  /**
   * Applies a lifecycle. Statuses are removed only if no entity is in them: they are closed and
   * searched, then removed or reopened. A lifecycle that is applied already is only read, because
   * every server does this at its start, and a change has to wait for all commands that follow it.
   * Fails with {@link TooManyException} if the workspace has reached its limit.
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
        : apply(command.expecting(found), SEARCHES);
  }

  private CompletableFuture<ApplyOutcome> applyFirst(ApplyLifecycle command) {
    return reads
        .hasRoom(command.id())
        .thenCompose(hasRoom -> hasRoom ? apply(command, SEARCHES) : tooMany());
  }

  private static CompletableFuture<ApplyOutcome> tooMany() {
    return CompletableFuture.failedFuture(
        new TooManyException("lifecycles", LifecycleReads.MAX_PER_WORKSPACE));
  }

  private CompletableFuture<ApplyOutcome> apply(ApplyLifecycle command, int searches) {
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
                      searches > 0
                          ? retire(command, statuses, searches)
                          : done(new ApplyOutcome.Changing());
                });
  }

  private static CompletableFuture<ApplyOutcome> done(ApplyOutcome outcome) {
    return CompletableFuture.completedFuture(outcome);
  }

  private CompletableFuture<ApplyOutcome> retire(
      ApplyLifecycle command, Set<String> statuses, int searches) {
    return ledger
        .submit(new RetireStatuses(command.id(), command.nonce(), statuses))
        .thenCompose(
            closed ->
                closed ? search(command, statuses, searches) : done(new ApplyOutcome.Changing()));
  }

  /**
   * Searches for entities in the closed statuses, which is final because no entity can enter them
   * now.
   */
  private CompletableFuture<ApplyOutcome> search(
      ApplyLifecycle command, Set<String> statuses, int searches) {
    return entities
        .stranded(command.id(), statuses, MAX_STRANDED + 1)
        .thenCompose(
            stranded ->
                stranded.isEmpty()
                    ? apply(command, searches - 1)
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

  /** Lists the lifecycles of a workspace by name, after one of them. */
  public CompletableFuture<Page<AppliedLifecycle, String>> list(
      Workspace workspace, int size, Optional<String> after) {
    return reads.list(workspace, size, after);
  }
}
