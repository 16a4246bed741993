package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.key;
import static dev.hapax.postgres.ledger.TestLedgers.oneCommitter;
import static dev.hapax.postgres.ledger.TestLedgers.together;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.LedgerException.Overloaded;
import dev.hapax.domain.ledger.LedgerException.Unavailable;
import dev.hapax.testkit.ledger.Counter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Another transaction holds a record, such as that of a node that was stopped. */
@Tag("fault")
class HeldRecordIT {
  private static TestLedgers ledgers;

  @BeforeAll
  static void start() {
    ledgers = new TestLedgers();
  }

  @AfterAll
  static void stop() {
    ledgers.close();
  }

  /** A transaction that then does nothing. */
  private static Connection holding(String statement) throws SQLException {
    var connection = ledgers.database().connect();
    connection.setAutoCommit(false);
    try (var hold = connection.createStatement()) {
      hold.execute(statement);
    }
    return connection;
  }

  private static String where(String like) {
    return "SELECT value FROM hapax.counter WHERE workspace = '%s' AND name LIKE '%s' FOR UPDATE"
        .formatted(TestLedgers.WORKSPACE.name(), like);
  }

  private static List<CompletableFuture<Long>> increments(
      PostgresLedger ledger, Counter.Key key, int number) {
    return IntStream.range(0, number).mapToObj(_ -> ledger.submit(Counter.increment(key))).toList();
  }

  private static List<Long> outcomes(List<CompletableFuture<Long>> futures) {
    return futures.stream().map(TestLedgers::await).toList();
  }

  private static List<Long> range(long from, long to) {
    return LongStream.rangeClosed(from, to).boxed().toList();
  }

  @Test
  @DisplayName(
      "given a locked row, then only its own commands wait, not those submitted with or after them")
  void aLockedRow() throws SQLException {
    var ledger = ledgers.node(patient(256));
    var held = key("locked");
    await(ledger.submit(Counter.increment(held)));
    delaysOnlyItsOwn(ledger, held, where("locked"), 1);
  }

  @Test
  @DisplayName("given a key that another session inserts, then only its own commands wait")
  void anUncommittedInsert() throws SQLException {
    var ledger = ledgers.node(patient(256));
    delaysOnlyItsOwn(
        ledger,
        key("inserting"),
        "INSERT INTO hapax.counter VALUES ('%s', 'inserting', 41)"
            .formatted(TestLedgers.WORKSPACE.name()),
        41);
  }

  private static void delaysOnlyItsOwn(
      PostgresLedger ledger, Counter.Key held, String statement, long value) throws SQLException {
    var name = held.name();
    var delayed = new ArrayList<CompletableFuture<Long>>();
    var others = new ArrayList<CompletableFuture<Long>>();
    CompletableFuture<Long> both;
    try (var holder = holding(statement)) {
      together(
          ledger,
          () -> {
            for (var i = 0; i < 100; i++) {
              delayed.add(ledger.submit(Counter.increment(held)));
              others.add(ledger.submit(Counter.increment(key(name + "-beside"))));
            }
          });
      assertThat(outcomes(others)).isEqualTo(range(1, 100));
      both = ledger.submit(Counter.incrementAll(List.of(key(name + "-also"), held)));
      for (var i = 0; i < 20; i++) {
        delayed.add(ledger.submit(Counter.increment(held)));
        assertThat(outcomes(increments(ledger, key(name + "-after-" + i), 20)))
            .isEqualTo(range(1, 20));
        assertThat(await(ledger.submit(Counter.increment(key(name + "-also"))))).isEqualTo(i + 1);
      }
      assertThat(delayed).noneMatch(CompletableFuture::isDone);
      assertThat(both).isNotDone();
      holder.commit();
    }
    await(both);
    assertThat(delayed).hasSize(120);
    assertThat(outcomes(delayed)).doesNotHaveDuplicates().allMatch(outcome -> outcome > value);
    assertThat(ledgers.value(held)).isEqualTo(value + 121);
  }

  @Test
  @DisplayName("others do not wait for each of hundreds of rows that one stopped node holds")
  void manyLockedRows() throws SQLException {
    var number = 250;
    var attempts = new AtomicInteger();
    var ledger = ledgers.node(patient(number), List.of(counting(attempts)));
    IntStream.range(0, number)
        .mapToObj(i -> ledger.submit(Counter.increment(key("many-" + i))))
        .toList()
        .forEach(TestLedgers::await);
    var delayed = new ArrayList<CompletableFuture<Long>>();
    try (var holder = holding(where("many-%"))) {
      together(
          ledger,
          () ->
              IntStream.range(0, number)
                  .forEach(i -> delayed.add(ledger.submit(Counter.increment(key("many-" + i))))));
      var before = attempts.get();
      assertThat(await(ledger.submit(Counter.increment(key("not-many"))))).isEqualTo(1);
      // one for each row, and the halvings to get there, would be twice as many as rows
      assertThat(attempts.get() - before).isLessThan(number / 2);
      for (var i = 0; i < 20; i++) {
        assertThat(outcomes(increments(ledger, key("not-many-" + i), 10))).isEqualTo(range(1, 10));
      }
      assertThat(delayed).noneMatch(CompletableFuture::isDone);
      holder.rollback();
    }
    assertThat(outcomes(delayed)).hasSize(number).containsOnly(2L);
  }

  private static PostgresLedger.Settings patient(int batchCommands) {
    return oneCommitter()
        .withCommandTimeout(Duration.ofMinutes(1))
        .withBatchCommands(batchCommands);
  }

  private static RecordTable<Counter.Key, Counter> counting(AtomicInteger attempts) {
    return new OtherTable<>(CounterTable.counters()) {
      @Override
      public void lock(
          Pipeline pipeline, List<Counter.Key> keys, Loading<Counter.Key, Counter> loading) {
        attempts.incrementAndGet();
        super.lock(pipeline, keys, loading);
      }
    };
  }

  @Test
  @DisplayName("those who only read what a blocked command reads too go on together")
  void readersGoOn() throws SQLException {
    var number = 200;
    var attempts = new AtomicInteger();
    var ledger =
        ledgers.node(patient(number), List.of(counting(attempts), CounterTable.ALL.getLast()));
    await(ledger.submit(Following.tally("rule", "read-held")));
    var delayed = new ArrayList<CompletableFuture<Long>>();
    try (var holder = holding(where("read-held"))) {
      var others = new ArrayList<CompletableFuture<Long>>();
      var before = attempts.get();
      together(
          ledger,
          () -> {
            delayed.add(ledger.submit(Following.tally("rule", "read-held")));
            for (var i = 1; i < number; i++) {
              others.add(ledger.submit(Following.tally("rule", "read-" + i)));
            }
          });
      assertThat(outcomes(others)).hasSize(number - 1).containsOnly(1L);
      // the halvings, and a few of the one that is held; one for each would be too many
      assertThat(attempts.get() - before).isLessThan(number / 4);
      assertThat(delayed).noneMatch(CompletableFuture::isDone);
      holder.commit();
    }
    assertThat(outcomes(delayed)).containsExactly(2L);
  }

  @Test
  @DisplayName(
      "when the record is held for longer than patience lasts, its commands are unavailable and never happen")
  void patienceEnds() throws SQLException {
    var ledger = ledgers.node(oneCommitter().withCommandTimeout(Duration.ofSeconds(4)));
    var held = key("held-for-long");
    await(ledger.submit(Counter.increment(held)));
    try (var _ = holding(where("held-for-long"))) {
      for (var future : increments(ledger, held, 50)) {
        assertThatThrownBy(() -> await(future)).hasCauseInstanceOf(Unavailable.class);
      }
    }
    assertThat(await(ledger.submit(Counter.increment(held)))).isEqualTo(2);
  }

  @Test
  @DisplayName(
      "with the database blocked, a bounded number is accepted, one workspace gets half of it, and all of them are answered in the end")
  void theQueueBoundHolds() throws SQLException {
    var batch = 10;
    var bound = 40;
    var ledger = ledgers.node(oneCommitter().withBatchCommands(batch).withQueueCommands(bound));
    var one = new Counter.Key(new Workspace("greedy"), "blocked");
    var two = new Counter.Key(new Workspace("modest"), "blocked");
    List<CompletableFuture<Long>> ofOne;
    List<CompletableFuture<Long>> ofTwo;
    try (var holder = holding("LOCK TABLE hapax.counter IN ACCESS EXCLUSIVE MODE")) {
      ofOne = accepted(increments(ledger, one, 500));
      // a batch is in hand, and does not count while it is
      assertThat(ofOne).hasSizeBetween(bound / 2, bound / 2 + batch);
      ofTwo = accepted(increments(ledger, two, 500));
      assertThat(ofOne.size() + ofTwo.size()).isBetween(bound, bound + batch);
      await(
          "the batch in hand is set aside, and counts again",
          () -> !isAccepted(ledger.submit(Counter.increment(two))));
      holder.rollback();
    }
    assertThat(outcomes(ofOne)).isEqualTo(range(1, ofOne.size()));
    assertThat(ofTwo.stream().map(TestLedgers::await)).doesNotHaveDuplicates();
  }

  private static List<CompletableFuture<Long>> accepted(List<CompletableFuture<Long>> submitted) {
    return submitted.stream().filter(HeldRecordIT::isAccepted).toList();
  }

  private static boolean isAccepted(CompletableFuture<Long> future) {
    if (!future.isDone()) {
      return true;
    }
    assertThatThrownBy(future::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(Overloaded.class, e -> assertThat(e.retryAfter()).isPositive());
    return false;
  }

  @Test
  @DisplayName("what is set aside stays within the bound of the queue")
  void setAsideIsBounded() throws SQLException {
    var ledger = ledgers.node(patient(10).withQueueCommands(40));
    var held = new Counter.Key(new Workspace("hot"), "hot");
    await(ledger.submit(Counter.increment(held)));
    List<CompletableFuture<Long>> accepted = new ArrayList<>();
    try (var holder = holding("SELECT value FROM hapax.counter WHERE name = 'hot' FOR UPDATE")) {
      for (var i = 0; i < 200; i++) {
        accepted.addAll(accepted(increments(ledger, held, 5)));
        // time for the committer to take what has queued
        await(ledger.submit(Counter.increment(key("beside-hot"))));
      }
      assertThat(accepted).hasSizeBetween(20, 30);
      holder.rollback();
    }
    assertThat(outcomes(accepted)).isEqualTo(range(2, accepted.size() + 1));
  }
}
