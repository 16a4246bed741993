package dev.hapax.domain.lifecycle;

import static java.util.function.Predicate.not;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome.Stored;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Applies lifecycles and declares contracts of janitors, all or none: entities follow them from now
 * on. Coverage is checked once, on what all of them leave.
 *
 * @param likely the versions that it probably replaces, by name: their records are locked in the
 *     first decision, which saves a second one
 * @param nonce random, for this change; if it removes statuses, their {@link Retirement} has the
 *     same
 */
public record ApplyLifecycles(
    LifecycleSet set, Map<String, AppliedLifecycle> likely, long nonce, Attribution by)
    implements Command<ApplyLifecyclesOutcome> {
  private static final int SIZE = 1024;
  private static final int STATE_SIZE = 64;

  /** The files of a workspace may be larger than a queue, which would then never have room. */
  private static final int MAX_SIZE = 4 << 20;

  public ApplyLifecycles {
    likely = Map.copyOf(likely);
  }

  @Override
  public Workspace workspace() {
    return set.workspace();
  }

  private Stream<LifecycleChange> changes(Function<LifecycleId, Optional<AppliedLifecycle>> found) {
    return set.lifecycles().stream()
        .map(each -> new LifecycleChange(workspace(), each, found.apply(set.id(each))));
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return Stream.<RecordKey<?>>concat(
            set.janitorIds().stream(),
            changes(id -> Optional.ofNullable(likely.get(id.name())))
                .flatMap(change -> Stream.concat(change.keys(), change.replacing())))
        .distinct()
        .toList();
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    var ofLifecycles = set.lifecycles().stream().mapToLong(ApplyLifecycles::size).sum();
    var ofContracts =
        set.contracts().stream().mapToLong(it -> STATE_SIZE * (1L + it.claimStates().size())).sum();
    return (int) Math.min(MAX_SIZE, ofLifecycles + ofContracts);
  }

  private static long size(Lifecycle lifecycle) {
    return SIZE * (1L + lifecycle.steps().size())
        + lifecycle.annotations().values().stream().mapToInt(Json::size).sum();
  }

  @Override
  public ApplyLifecyclesOutcome decide(BatchRecords records, Instant now) {
    var all = changes(records::get).toList();
    var changes = all.stream().filter(not(LifecycleChange::isMade)).toList();
    records.lock(changes.stream().flatMap(LifecycleChange::replacing).toList());
    var janitors = janitors(records, changes, now);
    var uncovered =
        janitors.values().stream().flatMap(janitor -> janitor.uncovered().stream()).toList();
    if (!uncovered.isEmpty()) {
      return new ApplyLifecyclesOutcome.Uncovered(uncovered);
    }
    var undefined = changes.stream().flatMap(change -> change.undefined(records)).findFirst();
    if (undefined.isPresent()) {
      return new ApplyLifecyclesOutcome.Undefined(undefined.get());
    }
    var displaced = displaced(changes, now);
    if (!displaced.isEmpty()) {
      return new ApplyLifecyclesOutcome.RetireFirst(displaced);
    }
    var declared = set.contracts().stream().map(each -> declared(each, records, janitors)).toList();
    janitors.forEach(records::put);
    return new ApplyLifecyclesOutcome.Applied(
        all.stream().map(change -> applied(change, records, now)).toList(), declared);
  }

  /** The janitors that change: each has its new contract and what the new lifecycles require. */
  private Map<JanitorId, Janitor> janitors(
      BatchRecords records, List<LifecycleChange> changes, Instant now) {
    var janitors = new LinkedHashMap<JanitorId, Janitor>();
    BiConsumer<JanitorId, UnaryOperator<Janitor>> update =
        (id, change) ->
            janitors.put(id, change.apply(janitors.getOrDefault(id, stored(id, records))));
    for (var contract : set.contracts()) {
      update.accept(set.id(contract), janitor -> janitor.declare(contract, now, by));
    }
    for (var change : changes) {
      var required = change.lifecycle().requiredClaimStates();
      change
          .formerJanitor()
          .ifPresent(
              former ->
                  update.accept(former, janitor -> janitor.withoutRequired(required.lifecycle())));
      update.accept(change.janitor(), janitor -> janitor.withRequired(required));
    }
    // a lifecycle without claim states needs no janitor record
    janitors.entrySet().removeIf(next -> next.getValue().equals(stored(next.getKey(), records)));
    return janitors;
  }

  private static Janitor stored(JanitorId id, BatchRecords records) {
    return records.get(id).orElse(Janitor.NONE);
  }

  private SortedMap<String, Set<String>> displaced(List<LifecycleChange> changes, Instant now) {
    return changes.stream()
        .map(change -> Map.entry(change.lifecycle().name(), change.displaced(nonce, now)))
        .filter(displaced -> !displaced.getValue().isEmpty())
        .collect(
            Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (a, _) -> a, TreeMap::new));
  }

  private Stored<Janitor> declared(
      JanitorContract contract, BatchRecords records, Map<JanitorId, Janitor> changed) {
    var before = stored(set.id(contract), records);
    return new Stored<>(
        changed.getOrDefault(set.id(contract), before), before.isDeclared(contract));
  }

  private Stored<AppliedLifecycle> applied(
      LifecycleChange change, BatchRecords records, Instant now) {
    return change.isMade()
        ? new Stored<>(change.replaced().orElseThrow(), true)
        : new Stored<>(change.store(records, now, by), false);
  }
}
