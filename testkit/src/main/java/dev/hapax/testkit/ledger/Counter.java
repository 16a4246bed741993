package dev.hapax.testkit.ledger;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** The record of the contract tests: a number that reveals lost updates. */
public record Counter(long value) {

  /** The key of a counter. */
  public record Key(Workspace workspace, String name) implements RecordKey<Counter> {}

  /** A command defined by a function. */
  public record On<O>(
      List<Key> keys, Urgency urgency, BiFunction<BatchRecords, Instant, O> decision)
      implements Command<O> {

    @Override
    public Workspace workspace() {
      return keys.getFirst().workspace();
    }

    @Override
    public int size() {
      return 64;
    }

    @Override
    public O decide(BatchRecords records, Instant now) {
      return decision.apply(records, now);
    }
  }

  /** Adds one; the outcome is the new value. An absent counter is 0. */
  public static Command<Long> increment(Key key) {
    return add(key, 1);
  }

  /** Adds an amount; the outcome is the new value. At 0 the record is removed. */
  public static Command<Long> add(Key key, long amount) {
    return new On<>(
        List.of(key), Command.Urgency.START, (records, _) -> addTo(records, key, amount));
  }

  /** Adds one to each; the outcome is their sum. */
  public static Command<Long> incrementAll(List<Key> keys) {
    return new On<>(
        keys,
        Command.Urgency.START,
        (records, _) -> keys.stream().mapToLong(key -> addTo(records, key, 1)).sum());
  }

  public static Command<Optional<Counter>> read(Key key) {
    return new On<>(List.of(key), Command.Urgency.START, (records, _) -> records.get(key));
  }

  private static long addTo(BatchRecords records, Key key, long amount) {
    var sum = records.get(key).map(Counter::value).orElse(0L) + amount;
    if (sum == 0) {
      records.remove(key);
    } else {
      records.put(key, new Counter(sum));
    }
    return sum;
  }
}
