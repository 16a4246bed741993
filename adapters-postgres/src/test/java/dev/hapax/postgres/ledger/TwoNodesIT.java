package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.oneCommitter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.CompleteOutcome;
import dev.hapax.domain.operation.FailOutcome;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.postgres.ledger.PostgresProxy.Held;
import dev.hapax.postgres.ledger.PostgresProxy.Treatment;
import dev.hapax.postgres.operation.OperationTable;
import dev.hapax.postgres.operation.ResultPartitions;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.ledger.Counter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two ledgers on one database, which know of each other only through it. */
@Tag("fault")
class TwoNodesIT {
  private static final int ACCOUNTS = 6;
  private static final byte[] RESULT = {1, 2, 3};
  private static TestLedgers ledgers;
  private static RecordTable<OperationId, Operation> operations;
  private static PostgresLedger other;

  @BeforeAll
  static void start() {
    ledgers = new TestLedgers();
    operations =
        new OperationTable(
            new ResultPartitions(
                new MaintenanceConnections(ledgers.database().dataSource(), SessionRoles.LOGIN)));
    other = ledgers.node(PostgresLedger.Settings.DEFAULT, List.of(operations));
  }

  @AfterAll
  static void stop() {
    ledgers.close();
  }

  /** Where in its batch a node is stopped once, while the other one goes on. */
  private enum Place {
    /** The rows are locked; what is finished is not read yet. */
    BEFORE_LOOK_UP,
    /** All is decided, nothing written. */
    BEFORE_WRITES
  }

  /** Lets something happen once at this place of the next batch. */
  private static final class Stopped extends OtherTable<OperationId, Operation> {
    private final Place place;
    private final AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
    private final AtomicInteger batches = new AtomicInteger();

    Stopped(Place place) {
      super(operations);
      this.place = place;
    }

    @Override
    public void lookUp(
        Pipeline pipeline, List<OperationId> absent, Loading<OperationId, Operation> loading) {
      happen(Place.BEFORE_LOOK_UP);
      super.lookUp(pipeline, absent, loading);
    }

    @Override
    public void insert(Pipeline pipeline, List<Write<OperationId, Operation>> writes) {
      batches.incrementAndGet();
      happen(Place.BEFORE_WRITES);
      super.insert(pipeline, writes);
    }

    private void happen(Place here) {
      if (here == place) {
        meanwhile.getAndSet(() -> {}).run();
      }
    }
  }

  /** Begins on a node that is stopped at this place while all of that happens on the other. */
  private static BeginOutcome beginWhile(Place place, String key, Runnable meanwhile) {
    var table = new Stopped(place);
    var settings = oneCommitter();
    try (var node =
        ledgers.open(ledgers.database().dataSource(), settings, List.of(table), pool -> pool)) {
      table.meanwhile.set(meanwhile);
      var begin = Operations.begin(key);
      var outcome =
          await(
              switch (place) {
                case BEFORE_LOOK_UP -> node.ledger().submit(new Operations.Sought(begin));
                case BEFORE_WRITES -> node.ledger().submit(begin);
              });
      if (place == Place.BEFORE_WRITES) {
        assertThat(table.batches).as("batches with writes").hasPositiveValue();
      }
      return outcome;
    }
  }

  private static OperationClaim acquired(BeginOutcome outcome) {
    return ((BeginOutcome.Acquired) outcome).claim();
  }

  private static OperationClaim begin(String key, Duration ttl) {
    return acquired(await(other.submit(Operations.begin(key, ttl))));
  }

  private static void complete(OperationClaim claim) {
    assertThat(await(other.submit(Operations.complete(claim, RESULT))))
        .isEqualTo(new CompleteOutcome.Completed(false));
  }

  @Test
  @DisplayName(
      "a key that another node begins and completes between our load and our write is replayed, not granted again")
  void begunAndCompletedInBetween() {
    for (var place : Place.values()) {
      var key = "completed-in-between-" + place;
      assertThat(beginWhile(place, key, () -> complete(begin(key, Operations.TTL))))
          .isInstanceOf(BeginOutcome.Replayed.class);
    }
  }

  @Test
  @DisplayName(
      "a key that another node begins between our load and our write is in progress for us")
  void begunInBetween() {
    for (var place : Place.values()) {
      var key = "begun-in-between-" + place;
      assertThat(beginWhile(place, key, () -> begin(key, Operations.TTL)))
          .isInstanceOf(BeginOutcome.InProgress.class);
    }
  }

  @Test
  @DisplayName(
      "a key that another node begins and releases in between is ours, with a higher fence")
  void releasedInBetween() {
    for (var place : Place.values()) {
      var key = "released-in-between-" + place;
      var first = new AtomicReference<OperationClaim>();
      var outcome =
          beginWhile(
              place,
              key,
              () -> {
                first.set(begin(key, Operations.TTL));
                await(other.submit(Operations.release(first.get())));
              });
      assertThat(acquired(outcome).fence()).isGreaterThan(first.get().fence());
    }
  }

  @Test
  @DisplayName(
      "a key whose answer is forgotten and that another node begins anew in between is not granted again")
  void forgottenAndBegunAnewInBetween() {
    for (var place : Place.values()) {
      var begun = "forgotten-begun-" + place;
      complete(begin(begun, Duration.ofNanos(1_000)));
      assertThat(beginWhile(place, begun, () -> begin(begun, Operations.TTL)))
          .isInstanceOf(BeginOutcome.InProgress.class);

      var completed = "forgotten-completed-" + place;
      complete(begin(completed, Duration.ofNanos(1_000)));
      assertThat(beginWhile(place, completed, () -> complete(begin(completed, Operations.TTL))))
          .isInstanceOf(BeginOutcome.Replayed.class);
      assertThat(
              ledgers
                  .database()
                  .query(
                      "SELECT count(*) FROM hapax.operation_result WHERE request_id = '%s'"
                          .formatted(completed)))
          .as("answers kept of one key")
          .isEqualTo("1");
    }
  }

  @Test
  @DisplayName(
      "two nodes race for many keys: exactly one grant each, a duplicate is replayed as soon as it is completed")
  void raceToComplete() {
    raceToComplete(10, 100);
  }

  @Test
  @Tag("soak")
  @DisplayName("the same for long")
  void raceToCompleteForLong() {
    raceToComplete(400, 300);
  }

  private static void raceToComplete(int rounds, int keys) {
    var one = ledgers.node(PostgresLedger.Settings.DEFAULT, List.of(operations));
    var replays = new AtomicInteger();
    for (var round = 0; round < rounds; round++) {
      var prefix = String.format(Locale.ROOT, "race-%d-%d-", keys, round);
      var grants = new HashMap<String, List<CompletableFuture<Boolean>>>();
      for (var key : shuffled(prefix, keys, 6, round)) {
        var attempts = grants.computeIfAbsent(key, _ -> new ArrayList<>());
        var ledger = attempts.size() % 2 == 0 ? one : other;
        attempts.add(
            ledger
                .submit(Operations.begin(key))
                .thenCompose(outcome -> completeIfAcquired(ledger, outcome, replays)));
      }
      grants.forEach(
          (key, attempts) ->
              assertThat(attempts.stream().map(TestLedgers::await).filter(won -> won))
                  .as("grants of " + key)
                  .hasSize(1));
    }
    assertThat(replays).as("duplicates that came late enough for the answer").hasPositiveValue();
  }

  private static CompletableFuture<Boolean> completeIfAcquired(
      PostgresLedger ledger, BeginOutcome outcome, AtomicInteger replays) {
    if (outcome instanceof BeginOutcome.Acquired acquired) {
      return ledger
          .submit(Operations.complete(acquired.claim(), RESULT))
          .thenApply(
              completed -> {
                assertThat(completed).isEqualTo(new CompleteOutcome.Completed(false));
                return true;
              });
    }
    if (outcome instanceof BeginOutcome.Replayed) {
      replays.incrementAndGet();
    }
    return CompletableFuture.completedFuture(false);
  }

  /** Each key so many times, in random order. */
  private static List<String> shuffled(String prefix, int keys, int times, int seed) {
    var all =
        IntStream.range(0, keys * times)
            .mapToObj(i -> prefix + i % keys)
            .collect(ArrayList<String>::new, ArrayList::add, ArrayList::addAll);
    Collections.shuffle(all, new Random(seed));
    return all;
  }

  @Test
  @DisplayName(
      "keys that are released and begun again on two nodes have one holder at a time, and each a higher fence than the one before")
  void fencesRise() {
    var one = ledgers.node(PostgresLedger.Settings.DEFAULT, List.of(operations));
    var fences = new HashMap<String, Fence>();
    for (var round = 0; round < 15; round++) {
      var claims = new HashMap<String, List<CompletableFuture<BeginOutcome>>>();
      for (var key : shuffled("fence-", 100, 4, round)) {
        var attempts = claims.computeIfAbsent(key, _ -> new ArrayList<>());
        attempts.add((attempts.size() % 2 == 0 ? one : other).submit(Operations.begin(key)));
      }
      var released = new ArrayList<CompletableFuture<FailOutcome>>();
      for (var attempts : claims.entrySet()) {
        var won =
            attempts.getValue().stream()
                .map(TestLedgers::await)
                .filter(BeginOutcome.Acquired.class::isInstance)
                .map(TwoNodesIT::acquired)
                .toList();
        assertThat(won).as("holders of " + attempts.getKey()).hasSize(1);
        var fence = won.getFirst().fence();
        assertThat(
                fences.merge(
                    attempts.getKey(),
                    fence,
                    (before, now) -> now.compareTo(before) > 0 ? now : before))
            .as("the highest fence")
            .isEqualTo(fence);
        released.add((round % 2 == 0 ? one : other).submit(Operations.release(won.getFirst())));
      }
      released.forEach(
          future -> assertThat(await(future)).isEqualTo(new FailOutcome.Failed(false)));
    }
  }

  @Test
  @DisplayName(
      "a node that inserts what another one has inserted meets it there, and not behind a row that it changes")
  void insertsComeFirst() {
    try (var database = new TestLedgers();
        var proxy = new PostgresProxy(database.database().url())) {
      database.detectDeadlocksAtOnce();
      var inserted = TestLedgers.key("a-inserted");
      var changed = TestLedgers.key("b-changed");
      var both = Counter.incrementAll(List.of(inserted, changed));
      var held = new Held();
      var meanwhile = new AtomicReference<Runnable>(() -> {});
      var third = database.node(oneCommitter());
      var second = database.open(proxy.dataSource(), oneCommitter());
      var first =
          database.node(
              oneCommitter(),
              List.of(
                  new OtherTable<>(CounterTable.counters()) {
                    @Override
                    public void insert(
                        Pipeline pipeline, List<Write<Counter.Key, Counter>> writes) {
                      meanwhile.getAndSet(() -> {}).run();
                      super.insert(pipeline, writes);
                    }
                  }));
      await(second.ledger().submit(Counter.increment(TestLedgers.key("registers"))));
      var ofSecond = new AtomicReference<CompletableFuture<Long>>();
      meanwhile.set(
          () -> {
            await(third.submit(Counter.increment(changed)));
            proxy.treat(
                request ->
                    request.commits() && !held.isReached()
                        ? new Treatment.Hold(2, held)
                        : new Treatment.Pass());
            ofSecond.set(second.ledger().submit(both));
            held.awaitReached();
            await(
                "the second has written",
                () -> database.hasSession("wait_event = 'ClientRead' AND state = 'active'"));
          });
      var ofFirst = first.submit(both);
      await(
          "the first waits for the second",
          () ->
              database.hasSession(
                  "wait_event_type = 'Lock' AND query LIKE '%INSERT INTO hapax.counter%'"));
      held.goOn();

      assertThat(await(ofSecond.get())).isEqualTo(3);
      assertThat(await(ofFirst)).isEqualTo(5);
      second.close();
      assertThat(database.deadlocks()).isEqualTo("0");
    }
  }

  @Test
  @DisplayName(
      "commands over several records of two tables, made, changed and removed from two nodes at once, never deadlock and lose nothing")
  void noDeadlocks() {
    try (var database = new TestLedgers()) {
      database.detectDeadlocksAtOnce();
      for (var round = 0; round < 3; round++) {
        transferAtRandom(database, 3_000, round);
      }
      assertThat(database.deadlocks()).isEqualTo("0");
    }
  }

  @Test
  @DisplayName(
      "two nodes that make the same new records at once, each named in another order, never deadlock")
  void noDeadlocksOfInserts() {
    try (var database = new TestLedgers()) {
      database.detectDeadlocksAtOnce();
      var one = database.node(PostgresLedger.Settings.DEFAULT);
      var two = database.node(PostgresLedger.Settings.DEFAULT);
      for (var round = 0; round < 200; round++) {
        var prefix = String.format(Locale.ROOT, "new-%d-", round);
        var keys =
            new ArrayList<>(
                IntStream.range(0, 8).mapToObj(i -> TestLedgers.key(prefix + i)).toList());
        var ofOne = one.submit(Counter.incrementAll(List.copyOf(keys)));
        Collections.shuffle(keys, new Random(round));
        var ofTwo = two.submit(Counter.incrementAll(List.copyOf(keys)));
        assertThat(List.of(await(ofOne), await(ofTwo))).containsExactlyInAnyOrder(8L, 16L);
      }
      assertThat(database.deadlocks()).isEqualTo("0");
    }
  }

  private static void transferAtRandom(TestLedgers database, int transfers, int seed) {
    var random = new Random(seed);
    var way = database.database().dataSource();
    var settings = PostgresLedger.Settings.DEFAULT.withBatchCommands(4);
    try (var one = database.open(way, settings);
        var two = database.open(way, settings)) {
      // their routes differ, so that both committers of both nodes meet on the same records
      var futures = new ArrayList<CompletableFuture<Integer>>();
      for (var i = 0; i < transfers; i++) {
        var keys = accounts(random);
        futures.add((i % 2 == 0 ? one : two).ledger().submit(new Transfer(keys, i)));
      }
      futures.forEach(TestLedgers::await);
    }
    assertThat(
            database
                .database()
                .query(
                    "SELECT (SELECT coalesce(sum(value), 0) FROM hapax.counter)"
                        + " + (SELECT coalesce(sum(value), 0) FROM hapax.tally)"))
        .isEqualTo("0");
  }

  private static List<RecordKey<Counter>> accounts(Random random) {
    var all =
        new ArrayList<>(
            IntStream.range(0, ACCOUNTS)
                .boxed()
                .<RecordKey<Counter>>flatMap(
                    i ->
                        Stream.of(
                            TestLedgers.key("account-" + i),
                            new CounterTable.TallyKey(TestLedgers.WORKSPACE, "account-" + i)))
                .toList());
    Collections.shuffle(all, random);
    return List.copyOf(all.subList(0, 4));
  }

  /** One from the second to the first, and one from the fourth to the third. */
  private record Transfer(List<RecordKey<Counter>> keys, int number) implements Command<Integer> {
    @Override
    public Workspace workspace() {
      return TestLedgers.WORKSPACE;
    }

    @Override
    public Object route() {
      return number;
    }

    @Override
    public Urgency urgency() {
      return Urgency.START;
    }

    @Override
    public int size() {
      return 100;
    }

    @Override
    public Integer decide(BatchRecords records, Instant now) {
      var amounts = Map.of(0, 1L, 1, -1L, 2, 1L, 3, -1L);
      amounts.forEach((place, amount) -> add(records, keys.get(place), amount));
      return number;
    }

    private static void add(BatchRecords records, RecordKey<Counter> key, long amount) {
      var sum = records.get(key).map(Counter::value).orElse(0L) + amount;
      if (sum == 0) {
        records.remove(key);
      } else {
        records.put(key, new Counter(sum));
      }
    }
  }
}
