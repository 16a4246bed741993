package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.key;
import static dev.hapax.postgres.ledger.TestLedgers.oneCommitter;
import static dev.hapax.postgres.ledger.TestLedgers.together;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.LedgerException.Defective;
import dev.hapax.domain.ledger.LedgerException.Unavailable;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.testkit.ledger.Counter;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What cannot run fails alone. */
@Tag("long")
class FailingStatementIT {
  private static TestLedgers ledgers;

  @BeforeAll
  static void start() {
    ledgers = new TestLedgers();
  }

  @AfterAll
  static void stop() {
    ledgers.close();
  }

  /** Submits one bad command amid good ones, as one batch. */
  private static void onlyTheBadOneFails(
      PostgresLedger ledger, Counter.Key shared, Command<Long> bad, Class<?> rootCause) {
    var good = new ArrayList<CompletableFuture<Long>>();
    var failed = new ArrayList<CompletableFuture<Long>>();
    together(
        ledger,
        () -> {
          for (var i = 0; i < 100; i++) {
            good.add(ledger.submit(Counter.increment(shared)));
            if (i == 37) {
              failed.add(ledger.submit(bad));
            }
          }
        });

    assertThat(good.stream().map(TestLedgers::await))
        .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, 100).boxed().toList());
    assertThat(ledgers.value(shared)).isEqualTo(100);
    for (var future : failed) {
      assertThatThrownBy(() -> await(future))
          .hasCauseInstanceOf(Defective.class)
          .hasRootCauseInstanceOf(rootCause.asSubclass(Throwable.class));
    }
  }

  @Test
  @DisplayName(
      "a command whose row breaks a constraint fails alone; all others of its batch succeed")
  void aBrokenConstraint() {
    var ledger = ledgers.node(oneCommitter());
    var poisoned = key("poisoned");
    onlyTheBadOneFails(
        ledger,
        key("beside-poison"),
        Counter.add(poisoned, CounterTable.POISON),
        SQLException.class);
    assertThat(ledgers.value(poisoned)).isZero();
  }

  @Test
  @DisplayName(
      "a command that breaks a constraint on the record all others change fails alone, and they do not see it")
  void aBrokenConstraintOnASharedRecord() {
    var ledger = ledgers.node(oneCommitter());
    var shared = key("shared-with-poison");
    var outcomes = new ArrayList<CompletableFuture<Long>>();
    together(
        ledger,
        () -> {
          outcomes.add(ledger.submit(Counter.add(shared, 1)));
          outcomes.add(ledger.submit(Counter.add(shared, CounterTable.POISON - 1)));
        });

    assertThat(await(outcomes.getFirst())).isEqualTo(1);
    assertThatThrownBy(() -> await(outcomes.getLast())).hasCauseInstanceOf(Defective.class);
    assertThat(ledgers.value(shared)).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "given a database that was away for a second, when the next attempt has a conflict, then the"
          + " batch is not halved [security-N11]")
  void conflictAfterAnOutage() {
    var failing = new AtomicInteger();
    var conflicts = new AtomicInteger(1);
    var batches = new CopyOnWriteArrayList<Integer>();
    var table =
        new OtherTable<>(CounterTable.counters()) {
          @Override
          public void insert(Pipeline pipeline, List<Write<Counter.Key, Counter>> writes) {
            batches.add(writes.size());
            if (conflicts.getAndDecrement() > 0) {
              throw new IllegalStateException(new SQLException("meant to be", "40001"));
            }
            super.insert(pipeline, writes);
          }
        };
    try (var node =
        ledgers.open(
            ledgers.database().dataSource(),
            oneCommitter(),
            List.of(table),
            pool -> failing(pool, failing))) {
      var outcomes = new ArrayList<CompletableFuture<Long>>();
      together(
          node.ledger(),
          () -> {
            failing.set(25);
            outcomes.add(node.ledger().submit(Counter.increment(key("after-outage-1"))));
            outcomes.add(node.ledger().submit(Counter.increment(key("after-outage-2"))));
          });
      assertThat(outcomes.stream().map(TestLedgers::await)).containsExactly(1L, 1L);
    }
    assertThat(batches).containsExactly(2, 2);
  }

  private static DataSource failing(DataSource pool, AtomicInteger times) {
    return (DataSource)
        Proxy.newProxyInstance(
            FailingStatementIT.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (_, method, arguments) -> {
              if (method.getName().equals("getConnection")
                  && times.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new SQLException("away", "08001");
              }
              return method.invoke(pool, arguments);
            });
  }

  @Test
  @DisplayName(
      "a command whose statement cannot be made fails alone; all others of its batch succeed")
  void aStatementThatCannotBeMade() {
    var unspeakable = key("unspeakable");
    var ledger =
        ledgers.node(
            oneCommitter(),
            List.of(
                new OtherTable<>(CounterTable.counters()) {
                  @Override
                  public void change(Pipeline pipeline, List<Write<Counter.Key, Counter>> writes) {
                    if (writes.stream().anyMatch(write -> write.key().equals(unspeakable))) {
                      throw new UnsupportedOperationException("meant to be");
                    }
                    super.change(pipeline, writes);
                  }
                }));
    onlyTheBadOneFails(
        ledger,
        key("beside-unspeakable"),
        Counter.increment(unspeakable),
        UnsupportedOperationException.class);
    assertThat(ledgers.value(unspeakable)).isZero();
  }

  @Test
  @DisplayName("a command whose records cannot even be asked for fails alone")
  void aLoadThatCannotBeMade() {
    var unspeakable = key("unspeakable-load");
    var ledger =
        ledgers.node(
            oneCommitter(),
            List.of(
                new OtherTable<>(CounterTable.counters()) {
                  @Override
                  public void lock(
                      Pipeline pipeline,
                      List<Counter.Key> keys,
                      Loading<Counter.Key, Counter> loading) {
                    if (keys.contains(unspeakable)) {
                      throw new UnsupportedOperationException("meant to be");
                    }
                    super.lock(pipeline, keys, loading);
                  }
                }));
    onlyTheBadOneFails(
        ledger,
        key("beside-unspeakable-load"),
        Counter.increment(unspeakable),
        UnsupportedOperationException.class);
  }

  @Test
  @DisplayName("a command whose statement the driver does not even send fails alone")
  void aStatementThatIsNotSent() {
    var unspeakable = key("unspeakable-parameter");
    var ledger =
        ledgers.node(
            oneCommitter(),
            List.of(
                new OtherTable<>(CounterTable.counters()) {
                  @Override
                  public void change(Pipeline pipeline, List<Write<Counter.Key, Counter>> writes) {
                    if (writes.stream().anyMatch(write -> write.key().equals(unspeakable))) {
                      pipeline.write("SELECT ?::int + ?::int", List.of(1));
                    }
                    super.change(pipeline, writes);
                  }
                }));
    onlyTheBadOneFails(
        ledger,
        key("beside-unspeakable-parameter"),
        Counter.increment(unspeakable),
        SQLException.class);
    assertThat(ledgers.value(unspeakable)).isZero();
  }

  @Test
  @DisplayName("a table that loses a connection of its own makes no command a broken one")
  void aTablesOwnConnection() {
    var failures = new AtomicInteger(3);
    var ledger =
        ledgers.node(
            oneCommitter(),
            List.of(
                new OtherTable<>(CounterTable.counters()) {
                  @Override
                  public void insert(Pipeline pipeline, List<Write<Counter.Key, Counter>> writes) {
                    if (failures.getAndDecrement() > 0) {
                      throw new IllegalStateException(
                          "meant to be", new SQLException("gone", "57P01"));
                    }
                    super.insert(pipeline, writes);
                  }
                }));
    assertThat(await(ledger.submit(Counter.increment(key("own-connection"))))).isEqualTo(1);
    assertThat(failures).hasNegativeValue();
  }

  @Test
  @DisplayName(
      "given a write that always changes too few rows, then its command becomes unavailable and blocks no other")
  void aWriteThatIsAlwaysShort() {
    var never = key("never");
    var ledger =
        ledgers.node(
            oneCommitter().withCommandTimeout(Duration.ofSeconds(5)),
            List.of(
                new OtherTable<>(CounterTable.counters()) {
                  @Override
                  public void insert(Pipeline pipeline, List<Write<Counter.Key, Counter>> writes) {
                    super.insert(pipeline, writes);
                    if (writes.stream().anyMatch(write -> write.key().equals(never))) {
                      pipeline.query("SELECT hapax.expect(1, 0, 'never')", List.of(), _ -> {});
                    }
                  }
                }));
    var good = new ArrayList<CompletableFuture<Long>>();
    var bad = new ArrayList<CompletableFuture<Long>>();
    together(
        ledger,
        () -> {
          bad.add(ledger.submit(Counter.increment(never)));
          IntStream.range(0, 20)
              .forEach(_ -> good.add(ledger.submit(Counter.increment(key("beside-never")))));
        });
    for (var i = 1; i <= 20; i++) {
      assertThat(await(ledger.submit(Counter.increment(key("after-never"))))).isEqualTo(i);
    }

    assertThat(good.stream().map(TestLedgers::await)).hasSize(20);
    assertThatThrownBy(() -> await(bad.getFirst())).hasCauseInstanceOf(Unavailable.class);
    assertThat(ledgers.value(never)).isZero();
  }

  @Test
  @DisplayName("a record that no table for is refused instead of forgotten")
  void aRecordWithoutATable() {
    record Stray(Workspace workspace) implements RecordKey<Counter> {}
    var stray = new Stray(TestLedgers.WORKSPACE);
    var command =
        new Command<Boolean>() {
          @Override
          public Workspace workspace() {
            return TestLedgers.WORKSPACE;
          }

          @Override
          public List<Stray> keys() {
            return List.of(stray);
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
            records.put(stray, new Counter(1));
            return true;
          }
        };
    var ledger = ledgers.node(oneCommitter());

    assertThatThrownBy(() -> await(ledger.submit(command)))
        .hasCauseInstanceOf(Defective.class)
        .hasRootCauseMessage("no table for " + stray);
  }

  @Test
  @DisplayName("many broken commands at once: each fails, none takes a neighbour along")
  void manyBrokenOnes() {
    var ledger = ledgers.node(oneCommitter());
    var shared = key("beside-many");
    var bad = new ArrayList<CompletableFuture<Long>>();
    var good = new ArrayList<CompletableFuture<Long>>();
    together(
        ledger,
        () ->
            IntStream.range(0, 60)
                .forEach(
                    i -> {
                      bad.add(ledger.submit(Counter.add(key("bad-" + i), CounterTable.POISON)));
                      good.add(ledger.submit(Counter.increment(shared)));
                    }));

    assertThat(good.stream().map(TestLedgers::await)).hasSize(60).doesNotHaveDuplicates();
    assertThat(ledgers.value(shared)).isEqualTo(60);
    bad.forEach(
        future -> assertThatThrownBy(() -> await(future)).hasCauseInstanceOf(Defective.class));
  }
}
