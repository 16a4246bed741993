package dev.hapax.application.lifecycle;

import dev.hapax.application.janitor.Janitors;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.Page;
import dev.hapax.domain.TooManyException;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.ApplyLifecycles;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome.Stored;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.domain.lifecycle.RetireStatuses;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Applies lifecycles with the contracts of their janitors, and reads lifecycles. */
public final class Lifecycles {
  /** The largest number of listed entities that prevent a change. */
  public static final int MAX_STRANDED = 20;

  /** The number of searches before a change that cannot finish in time is abandoned. */
  private static final int SEARCHES = 3;

  private final Ledger ledger;
  private final LifecycleReads reads;
  private final JanitorReads declared;
  private final EntityReads entities;
  private final Janitors janitors;
  private final LongSupplier random;

  /**
   * Creates the service.
   *
   * @param janitors receive each contract that changed
   * @param random generates nonces
   */
  public Lifecycles(
      Ledger ledger,
      LifecycleReads reads,
      JanitorReads declared,
      EntityReads entities,
      Janitors janitors,
      LongSupplier random) {
    this.ledger = ledger;
    this.reads = reads;
    this.declared = declared;
    this.entities = entities;
    this.janitors = janitors;
    this.random = random;
  }

  /**
   * Applies lifecycles and declares contracts, all or none. Statuses are removed only if no entity
   * is in them: they are closed and searched, then removed or reopened. A set that is applied
   * already is only read, because every server and module does this at its start, and a change has
   * to wait for all commands that follow it. Fails with {@link TooManyException} if the workspace
   * would exceed its limit.
   */
  public CompletableFuture<ApplyOutcome> apply(LifecycleSet set, Attribution by) {
    return findAll(set.lifecycleIds(), reads::find)
        .thenCompose(
            applied ->
                findAll(set.janitorIds(), declared::find)
                    .thenCompose(
                        contracts -> {
                          var stored = stored(set, applied, contracts);
                          return stored.isPresent()
                              ? done(stored.get())
                              : change(set, applied, contracts, by);
                        }));
  }

  /** One read after another, since a large set would fill the queue of reads. */
  private static <K, R> CompletableFuture<Map<K, R>> findAll(
      List<K> ids, Function<K, CompletableFuture<Optional<R>>> find) {
    var found = new HashMap<K, R>();
    CompletableFuture<?> all = done(found);
    for (var id : ids) {
      all =
          all.thenCompose(_ -> find.apply(id))
              .thenAccept(stored -> stored.ifPresent(record -> found.put(id, record)));
    }
    return all.thenApply(_ -> found);
  }

  /** Returns the outcome if the whole set is stored already. */
  private static Optional<ApplyOutcome> stored(
      LifecycleSet set,
      Map<LifecycleId, AppliedLifecycle> applied,
      Map<JanitorId, Janitor> contracts) {
    var lifecycles =
        set.lifecycles().stream()
            .flatMap(each -> stored(applied.get(set.id(each)), it -> it.lifecycle().equals(each)))
            .toList();
    var janitors =
        set.contracts().stream()
            .flatMap(each -> stored(contracts.get(set.id(each)), it -> it.isDeclared(each)))
            .toList();
    return lifecycles.size() == set.lifecycles().size() && janitors.size() == set.contracts().size()
        ? Optional.of(new ApplyOutcome.Applied(lifecycles, janitors))
        : Optional.empty();
  }

  private static <R> Stream<Stored<R>> stored(@Nullable R found, Predicate<R> isSame) {
    return Stream.ofNullable(found).filter(isSame).map(record -> new Stored<>(record, true));
  }

  private CompletableFuture<ApplyOutcome> change(
      LifecycleSet set,
      Map<LifecycleId, AppliedLifecycle> applied,
      Map<JanitorId, Janitor> contracts,
      Attribution by) {
    var likely =
        applied.values().stream()
            .collect(Collectors.toMap(found -> found.lifecycle().name(), Function.identity()));
    return requireRoom(
            "lifecycles",
            set.lifecycles().size() - applied.size(),
            () -> reads.count(set.workspace()),
            LifecycleReads.MAX_PER_WORKSPACE)
        .thenCompose(
            _ ->
                requireRoom(
                    "janitors",
                    set.contracts().size() - contracts.size(),
                    () -> declared.count(set.workspace()),
                    JanitorReads.MAX_PER_WORKSPACE))
        .thenCompose(
            _ -> apply(new ApplyLifecycles(set, likely, random.getAsLong(), by), SEARCHES));
  }

  private static CompletableFuture<?> requireRoom(
      String what, int more, Supplier<CompletableFuture<Integer>> count, int most) {
    return more == 0
        ? done(more)
        : count
            .get()
            .thenAccept(
                stored -> {
                  if (stored + more > most) {
                    throw new TooManyException(what, most);
                  }
                });
  }

  private CompletableFuture<ApplyOutcome> apply(ApplyLifecycles command, int searches) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case ApplyLifecyclesOutcome.Applied(var applied, var contracts) -> {
                    report(command.set(), contracts);
                    yield done(new ApplyOutcome.Applied(applied, contracts));
                  }
                  case ApplyLifecyclesOutcome.Uncovered(var missing) ->
                      done(new ApplyOutcome.Uncovered(missing));
                  case ApplyLifecyclesOutcome.Undefined(var definition) ->
                      done(new ApplyOutcome.Undefined(definition));
                  case ApplyLifecyclesOutcome.RetireFirst(var statuses) ->
                      searches > 0
                          ? retire(command, statuses, searches)
                          : done(new ApplyOutcome.Changing(statuses.firstKey()));
                });
  }

  private void report(LifecycleSet set, List<Stored<Janitor>> contracts) {
    for (var i = 0; i < contracts.size(); i++) {
      if (!contracts.get(i).already()) {
        janitors.declared(set.janitorIds().get(i), contracts.get(i).record());
      }
    }
  }

  private static <O> CompletableFuture<O> done(O outcome) {
    return CompletableFuture.completedFuture(outcome);
  }

  private CompletableFuture<ApplyOutcome> retire(
      ApplyLifecycles command, Map<String, Set<String>> statuses, int searches) {
    return ledger
        .submit(new RetireStatuses(command.workspace(), command.nonce(), statuses))
        .thenCompose(
            busy ->
                busy.isEmpty()
                    ? search(command, statuses, searches)
                    : done(new ApplyOutcome.Changing(busy.get())));
  }

  /**
   * Searches for entities in the closed statuses, which is final because no entity can enter them
   * now.
   */
  private CompletableFuture<ApplyOutcome> search(
      ApplyLifecycles command, Map<String, Set<String>> statuses, int searches) {
    CompletableFuture<Optional<ApplyOutcome>> inUse = done(Optional.empty());
    for (var closed : statuses.entrySet()) {
      var lifecycle = new LifecycleId(command.workspace(), closed.getKey());
      inUse =
          inUse.thenCompose(
              found -> found.isPresent() ? done(found) : inUse(lifecycle, closed.getValue()));
    }
    return inUse.thenCompose(
        found ->
            found.isPresent()
                ? giveUp(command, statuses.keySet(), found.get())
                : apply(command, searches - 1));
  }

  private CompletableFuture<Optional<ApplyOutcome>> inUse(
      LifecycleId lifecycle, Set<String> statuses) {
    return entities
        .stranded(lifecycle, statuses, MAX_STRANDED + 1)
        .thenApply(
            stranded ->
                stranded.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                        new ApplyOutcome.InUse(
                            lifecycle.name(),
                            stranded.stream().limit(MAX_STRANDED).toList(),
                            stranded.size() <= MAX_STRANDED,
                            statuses)));
  }

  private CompletableFuture<ApplyOutcome> giveUp(
      ApplyLifecycles command, Set<String> lifecycles, ApplyOutcome outcome) {
    var reopened =
        lifecycles.stream().collect(Collectors.toMap(Function.identity(), _ -> Set.<String>of()));
    return ledger
        .submit(new RetireStatuses(command.workspace(), command.nonce(), reopened))
        .thenApply(_ -> outcome);
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
