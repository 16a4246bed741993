package dev.hapax.testkit.limit;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.hapax.domain.Page;
import dev.hapax.domain.hook.Line;
import dev.hapax.domain.hook.LineId;
import dev.hapax.domain.ledger.JoinedRecord;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.limit.LimitKey;
import dev.hapax.domain.limit.LimitLine;
import dev.hapax.domain.limit.LimitReads;
import dev.hapax.domain.limit.LimitSetting;
import dev.hapax.domain.limit.Slots;
import dev.hapax.domain.limit.SlotsId;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Reads limits from the records of an in-memory ledger. */
public final class InMemoryLimitReads implements LimitReads {
  private static final Comparator<LimitKey> ORDER =
      Comparator.comparing(LimitKey::name)
          .thenComparing(LimitKey::value)
          .thenComparing(LimitKey::ofDefinitions);

  private static final Comparator<LineId> LINE_ORDER =
      Comparator.comparing(LineId::workspace).thenComparing(LineId::hash);

  private final InMemoryLedger ledger;

  public InMemoryLimitReads(InMemoryLedger ledger) {
    this.ledger = ledger;
  }

  @Override
  public CompletableFuture<Optional<Found>> find(LimitKey key) {
    var records = ledger.records();
    return completedFuture(
        keys(records).anyMatch(key::equals) ? Optional.of(found(records, key)) : Optional.empty());
  }

  /** Those that runs have reached, and those that are set. */
  private static Stream<LimitKey> keys(Map<RecordKey<?>, Object> records) {
    return Stream.concat(
            records.values().stream()
                .filter(LimitLine.class::isInstance)
                .map(line -> ((LimitLine) line).key()),
            records.keySet().stream()
                .filter(LimitKey.class::isInstance)
                .map(LimitKey.class::cast)
                .filter(key -> setting(records, key).isPresent()))
        .distinct();
  }

  private static Optional<LimitSetting> setting(Map<RecordKey<?>, Object> records, LimitKey key) {
    return Optional.ofNullable((LimitSetting) records.get(key))
        .filter(setting -> !setting.isRemoved());
  }

  private static Found found(Map<RecordKey<?>, Object> records, LimitKey key) {
    var places = places(records, lineOf(key));
    var limit = Optional.ofNullable((LimitLine) records.get(key.id()));
    return new Found(
        key,
        limit.map(LimitLine::declared),
        joined(records, new SlotsId(key.id()), Slots.NONE).taken().size(),
        places.size(),
        places.stream()
            .findFirst()
            .flatMap(place -> Optional.ofNullable((Run) records.get(place.run())))
            .flatMap(Run::blocked)
            .map(Phase.Blocked::since),
        places.isEmpty() ? Optional.empty() : limit.flatMap(LimitLine::due).map(LimitLine.Due::at),
        setting(records, ofAll(key))
            .map(setting -> new Numbers(setting.maxRunning(), setting.rate()))
            .orElse(Numbers.NONE),
        setting(records, key));
  }

  private static List<Line.Place> places(Map<RecordKey<?>, Object> records, LineId line) {
    return joined(records, line, Line.EMPTY).first();
  }

  @SuppressWarnings("unchecked") // a record without some parts has its type
  private static <R extends JoinedRecord> R joined(
      Map<RecordKey<?>, Object> records, RecordKey<R> key, R otherwise) {
    return records.get(key) instanceof JoinedRecord all
        ? (R) all.joined(key, other -> Optional.ofNullable(records.get(other)))
        : otherwise;
  }

  @Override
  public CompletableFuture<Integer> ahead(LimitKey key, long turn) {
    var line = lineOf(key);
    return completedFuture(
        Math.toIntExact(
            places(ledger.records(), line).stream().filter(place -> place.turn() < turn).count()));
  }

  @Override
  public CompletableFuture<Page<Found, LimitKey>> list(Query query) {
    var records = ledger.records();
    var keys =
        keys(records)
            .filter(key -> key.workspace().equals(query.workspace()))
            .filter(key -> query.name().filter(name -> !name.equals(key.name())).isEmpty())
            .sorted(ORDER)
            .filter(key -> query.after().filter(last -> ORDER.compare(key, last) <= 0).isEmpty())
            .limit(query.size() + 1L)
            .toList();
    var page = keys.stream().limit(query.size()).toList();
    return completedFuture(
        new Page<>(
            page.stream().map(key -> found(records, key)).toList(),
            keys.size() > page.size() ? Optional.of(page.getLast()) : Optional.empty()));
  }

  @Override
  public CompletableFuture<Boolean> hasPlaces() {
    return completedFuture(ledger.records().keySet().stream().anyMatch(LineId.class::isInstance));
  }

  @Override
  public CompletableFuture<Page<LimitKey, LineId>> free(Optional<LineId> after, int searched) {
    var records = ledger.records();
    var lines =
        records.keySet().stream()
            .filter(LineId.class::isInstance)
            .map(LineId.class::cast)
            .sorted(LINE_ORDER)
            .filter(id -> after.filter(last -> LINE_ORDER.compare(id, last) <= 0).isEmpty())
            .limit(searched)
            .toList();
    return completedFuture(
        new Page<>(
            lines.stream()
                .filter(line -> !places(records, line).isEmpty() && !isBehind(records, line))
                .flatMap(line -> key(records, line).stream())
                .filter(key -> mayAdmit(records, key))
                .toList(),
            lines.size() < searched ? Optional.empty() : Optional.of(lines.getLast())));
  }

  /** Whether the first run of a line waits behind others in another one. */
  private static boolean isBehind(Map<RecordKey<?>, Object> records, LineId line) {
    var first = places(records, line).getFirst();
    var run = requireNonNull(records.get(first.run()));
    return records.keySet().stream()
        .filter(LineId.class::isInstance)
        .map(LineId.class::cast)
        .filter(other -> other.workspace().equals(line.workspace()))
        .filter(other -> first.isOf(other.hash(), run))
        .anyMatch(other -> places(records, other).getFirst().turn() < first.turn());
  }

  private boolean mayAdmit(Map<RecordKey<?>, Object> records, LimitKey key) {
    var found = found(records, key);
    var limit = (LimitLine) requireNonNull(records.get(key.id()));
    var isDelayed =
        limit
            .due()
            .filter(due -> due.at().isAfter(ledger.now()))
            .filter(due -> due.turn() == places(records, lineOf(key)).getFirst().turn())
            .filter(
                _ -> !isSetSince(records, key, limit) && !isSetSince(records, ofAll(key), limit))
            .isPresent();
    var max = found.numbers().maxRunning();
    return !isDelayed && (max.isEmpty() || found.running() < max.getAsInt());
  }

  private static LineId lineOf(LimitKey key) {
    return new LineId(key.workspace(), key.id().hash());
  }

  private static LimitKey ofAll(LimitKey key) {
    return new LimitKey(key.workspace(), key.ofDefinitions(), key.name(), "");
  }

  private static boolean isSetSince(
      Map<RecordKey<?>, Object> records, LimitKey key, LimitLine limit) {
    return records.get(key) instanceof LimitSetting setting
        && limit.started().filter(setting.setAt()::isBefore).isEmpty();
  }

  @Override
  public CompletableFuture<List<Due>> due(Duration ahead, int atMost) {
    var now = ledger.now();
    return completedFuture(
        ledger.records().values().stream()
            .filter(LimitLine.class::isInstance)
            .map(LimitLine.class::cast)
            .filter(line -> !places(ledger.records(), lineOf(line.key())).isEmpty())
            .flatMap(
                line ->
                    line.due().stream()
                        .map(due -> new Due(line.key(), Duration.between(now, due.at()))))
            .filter(due -> !due.in().isNegative() && due.in().compareTo(ahead) <= 0)
            .sorted(Comparator.comparing(Due::in))
            .limit(atMost)
            .toList());
  }

  private static Optional<LimitKey> key(Map<RecordKey<?>, Object> records, LineId line) {
    return records.values().stream()
        .filter(LimitLine.class::isInstance)
        .map(limit -> ((LimitLine) limit).key())
        .filter(key -> key.workspace().equals(line.workspace()))
        .filter(key -> key.id().hash().equals(line.hash()))
        .findFirst();
  }
}
