package dev.hapax.testkit.hook;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.hapax.domain.Page;
import dev.hapax.domain.hook.Hook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.hook.Line;
import dev.hapax.domain.hook.LineId;
import dev.hapax.domain.hook.ReopenRunWithHooks.Held;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads tokens from the records of an in-memory ledger, where a run's news are all its events. */
public final class InMemoryHookReads implements HookReads {
  private static final Comparator<HookId> ORDER =
      Comparator.comparing(HookId::workspace).thenComparing(HookId::hash);

  private final InMemoryLedger ledger;
  private final InstantSource clock;

  public InMemoryHookReads(InMemoryLedger ledger, InstantSource clock) {
    this.ledger = ledger;
    this.clock = clock;
  }

  @Override
  public CompletableFuture<Optional<Found>> find(HookId id) {
    var records = ledger.records();
    return completedFuture(
        Optional.ofNullable((Hook) records.get(id)).flatMap(hook -> find(records, id, hook)));
  }

  private Optional<Found> find(Map<RecordKey<?>, Object> records, HookId id, Hook hook) {
    var now = clock.instant();
    var owner =
        run(records, hook.run())
            .filter(run -> hook.isOwnedBy(run, now))
            .map(run -> run.with(List.of()));
    var line = line(records, id);
    var first =
        line.stream()
            .limit(MOST_LISTED)
            .map(place -> new Waiting(place.run(), since(records, place)))
            .toList();
    return owner.isEmpty() && line.isEmpty()
        ? Optional.empty()
        : Optional.of(new Found(hook, owner, line.size(), first, now));
  }

  private static Optional<Run> run(Map<RecordKey<?>, Object> records, RunId id) {
    return Optional.ofNullable((Run) records.get(id));
  }

  private static List<Line.Place> line(Map<RecordKey<?>, Object> records, HookId id) {
    return records.get(new LineId(id)) instanceof Line line
        ? line.joined(new LineId(id), key -> Optional.ofNullable(records.get(key))).first()
        : List.of();
  }

  private static Instant since(Map<RecordKey<?>, Object> records, Line.Place place) {
    return run(records, place.run()).flatMap(Run::blocked).orElseThrow().since();
  }

  @Override
  public CompletableFuture<Integer> ahead(HookId id, long turn) {
    return completedFuture(
        Math.toIntExact(
            line(ledger.records(), id).stream().filter(place -> place.turn() < turn).count()));
  }

  @Override
  public CompletableFuture<Page<HookId, HookId>> unowned(Optional<HookId> after, int searched) {
    var records = ledger.records();
    var tokens =
        records.keySet().stream()
            .filter(LineId.class::isInstance)
            .map(line -> new HookId(line.workspace(), ((LineId) line).hash()))
            .sorted(ORDER)
            .filter(id -> after.filter(last -> ORDER.compare(id, last) <= 0).isEmpty())
            .limit(searched)
            .toList();
    return completedFuture(
        new Page<>(
            tokens.stream()
                .filter(id -> records.get(id) instanceof Hook hook && isUnowned(records, hook))
                .filter(id -> !line(records, id).isEmpty())
                .toList(),
            tokens.size() < searched ? Optional.empty() : Optional.of(tokens.getLast())));
  }

  private static boolean isUnowned(Map<RecordKey<?>, Object> records, Hook hook) {
    return run(records, hook.run())
        .filter(run -> !run.hasEnded() && hook.isOwnedBy(run, Instant.MAX))
        .isEmpty();
  }

  @Override
  public CompletableFuture<List<Held>> held(RunId id) {
    var held = new LinkedHashMap<HookId, Held>();
    if (ledger.records().get(id) instanceof Run run) {
      for (var event : run.newEvents()) {
        if (event.change() instanceof RunChange.HookCreated(var hash, var name, var retention, _)) {
          var hook = new HookId(id.workspace(), hash);
          held.put(hook, new Held(hook, name, retention));
        } else if (event.change() instanceof RunChange.HookDisposed(var hash, _)) {
          held.remove(new HookId(id.workspace(), hash));
        }
      }
    }
    return completedFuture(List.copyOf(held.values()));
  }
}
