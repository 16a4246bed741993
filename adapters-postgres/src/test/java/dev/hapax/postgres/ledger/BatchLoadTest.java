package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.testkit.ledger.Counter;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which rows a batch locks before it decides, and which of them it loads. */
class BatchLoadTest {
  private static final Pipeline NOT_SENT =
      new Pipeline(
          (Connection)
              Proxy.newProxyInstance(
                  BatchLoadTest.class.getClassLoader(),
                  new Class<?>[] {Connection.class},
                  (_, _, _) -> {
                    throw new AssertionError("nothing is sent");
                  }));

  private final List<String> statements = new ArrayList<>();
  private final Remembering<Counter.Key> counters =
      new Remembering<>("counter", Counter.Key.class, Counter.Key::name);
  private final Remembering<CounterTable.TallyKey> tallies =
      new Remembering<>("tally", CounterTable.TallyKey.class, CounterTable.TallyKey::name);

  private final class Remembering<K extends RecordKey<Counter>> implements RecordTable<K, Counter> {
    private final String table;
    private final Class<K> type;
    private final Function<K, String> name;
    private final RecordMemory<K, Counter> memory =
        new RecordMemory<>(DSL.field("id", UUID.class), _ -> new UUID(0, 0), _ -> 1);

    Remembering(String table, Class<K> type, Function<K, String> name) {
      this.table = table;
      this.type = type;
      this.name = name;
    }

    void remember(K key) {
      memory.put(key, new Counter(1), new RowVersion("1"), memory.epoch());
    }

    @Override
    public Class<K> keys() {
      return type;
    }

    @Override
    public Comparator<K> lockOrder() {
      return Comparator.comparing(name);
    }

    @Override
    public Optional<RecordMemory<K, Counter>> memory() {
      return Optional.of(memory);
    }

    @Override
    public void lock(Pipeline pipeline, List<K> keys, Loading<K, Counter> loading) {
      note("load", keys.stream().map(name));
    }

    @Override
    public void hold(Pipeline pipeline, List<Held<K>> rows) {
      note(
          "hold",
          rows.stream().map(row -> name.apply(row.key()) + (row.version() == null ? "?" : "")));
    }

    private void note(String what, Stream<String> names) {
      statements.add(what + " " + table + " " + String.join(" ", names.toList()));
    }

    @Override
    public void insert(Pipeline pipeline, List<Write<K, Counter>> writes) {}
  }

  private record Touch(
      Collection<? extends RecordKey<?>> keys, Collection<? extends RecordKey<?>> idempotencyKeys)
      implements Command<Boolean> {
    @Override
    public Workspace workspace() {
      return keys.iterator().next().workspace();
    }

    @Override
    public Urgency urgency() {
      return Urgency.START;
    }

    @Override
    public int size() {
      return 1;
    }

    @Override
    public Boolean decide(BatchRecords records, Instant now) {
      return true;
    }
  }

  private static List<Counter.Key> counters(int number) {
    return IntStream.range(0, number).mapToObj(i -> TestLedgers.key("c" + i)).toList();
  }

  private BatchLoad locked(RecordKey<?>... keys) {
    return locked(List.of(keys));
  }

  private BatchLoad locked(List<? extends RecordKey<?>> keys) {
    var load =
        BatchLoad.of(
            List.of(counters, tallies),
            List.of(new QueuedCommand<>(new Touch(keys, List.of()), 0)),
            false,
            new NewKeyGuess(System::nanoTime));
    load.lock(NOT_SENT);
    return load;
  }

  @Test
  @DisplayName("remembered rows are left to the writes that lock them, and held if there are none")
  void leftToTheWrites() {
    var keys = counters(2);
    keys.forEach(counters::remember);

    var load = locked(keys);

    assertThat(load.isLockedByWrites()).isTrue();
    load.holdOthers(NOT_SENT, Set.copyOf(keys));
    assertThat(statements).isEmpty();
    load.holdOthers(NOT_SENT, Set.of(keys.getFirst()));
    assertThat(statements).containsExactly("hold counter c0 c1");
  }

  @Test
  @DisplayName("beside rows to load, many remembered ones are locked in the same order, not loaded")
  void heldBesideLoads() {
    var keys = counters(9);
    keys.stream().filter(key -> !key.name().equals("c3")).forEach(counters::remember);

    assertThat(locked(keys).isLockedByWrites()).isFalse();

    assertThat(statements)
        .containsExactly("hold counter c0 c1 c2 c3? c4 c5 c6 c7 c8", "load counter c3");
  }

  @Test
  @DisplayName("beside rows to load, a few remembered ones are loaded as well")
  void loadedBesideLoads() {
    var keys = counters(3);
    counters.remember(keys.getFirst());

    assertThat(locked(keys).isLockedByWrites()).isFalse();

    assertThat(statements).containsExactly("load counter c0 c1 c2");
  }

  @Test
  @DisplayName("rows of a table are not locked behind those of a later one")
  void inTheOrderOfTables() {
    var counter = TestLedgers.key("c");
    var tally = new CounterTable.TallyKey(counter.workspace(), "t");
    counters.remember(counter);

    assertThat(locked(counter, tally).isLockedByWrites()).isFalse();
    assertThat(statements).containsExactly("hold counter c", "load tally t");

    statements.clear();
    tallies.remember(tally);
    assertThat(locked(counter, tally).isLockedByWrites()).isTrue();
    assertThat(statements).containsExactly("load counter c");
  }

  @Test
  @DisplayName("before rows of a later table are held, those of the earlier ones are")
  void heldInTheOrderOfTables() {
    var counter = TestLedgers.key("c");
    var tally = new CounterTable.TallyKey(counter.workspace(), "t");
    counters.remember(counter);
    tallies.remember(tally);
    locked(counter, tally).holdOthers(NOT_SENT, Set.of(counter));
    assertThat(statements).containsExactly("hold counter c", "hold tally t");

    statements.clear();
    counters.remember(counter);
    tallies.remember(tally);
    locked(counter, tally).holdOthers(NOT_SENT, Set.of(tally));
    assertThat(statements).containsExactly("hold counter c");
  }

  @Test
  @DisplayName(
      "given an outdated row, then no guess was wrong; a row that exists shows that one was")
  void blame() {
    var guess = new NewKeyGuess(System::nanoTime);
    var counter = TestLedgers.key("c");
    counters.remember(counter);
    var load = guessing(counter, tally("new"), guess);
    assertThat(load.isGuessing()).isTrue();

    load.failed(true);

    assertThat(guess.isNew(tally("another"))).isTrue();
    counters.remember(counter);
    assertThat(counters.memory.take(counter)).as("none is remembered for a while").isEmpty();

    guessing(counter, tally("exists"), guess).failed(false);
    assertThat(guess.isNew(tally("later"))).isFalse();
  }

  private static CounterTable.TallyKey tally(String name) {
    return new CounterTable.TallyKey(TestLedgers.key("c").workspace(), name);
  }

  private BatchLoad guessing(Counter.Key changed, CounterTable.TallyKey key, NewKeyGuess guess) {
    return BatchLoad.of(
        List.of(counters, tallies),
        List.of(new QueuedCommand<>(new Touch(List.of(changed, key), List.of(key)), 0)),
        false,
        guess);
  }
}
