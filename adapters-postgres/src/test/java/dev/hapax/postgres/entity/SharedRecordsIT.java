package dev.hapax.postgres.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.ApplyLifecycles;
import dev.hapax.domain.lifecycle.ApplyLifecyclesOutcome;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.postgres.janitor.JanitorTable;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.lifecycle.LifecycleCache;
import dev.hapax.postgres.lifecycle.LifecycleTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Lifecycles and janitors: every action on an entity reads them, and few change them. */
class SharedRecordsIT {
  private static final int NODES = 3;
  private static final int LIFECYCLES = 4;
  private static final int CALLERS = 24;
  private static final Duration HOUR = Duration.ofHours(1);
  private static EntityNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new EntityNodes(NODES);
    Invoices.install(nodes, "shared", JanitorMode.HOSTED);
    nodes.run(Invoices.create(invoice("shared", "first"), "approved"));
  }

  @AfterAll
  static void stop() {
    try (var all = nodes) {
      assertThat(all.deadlocks()).as("every node locks in one order").isZero();
    }
  }

  private static EntityId invoice(String lifecycle, String id) {
    return new EntityId(Invoices.WORKSPACE, lifecycle, id);
  }

  /** A transaction that reads or changes one record, as a batch of a node does. */
  static final class Transaction<K extends RecordKey<R>, R> implements AutoCloseable {
    private final Shared<K, R> shared;
    private final Connection connection;

    Transaction(Shared<K, R> shared) throws SQLException {
      this.shared = shared;
      this.connection = nodes.database().connect();
      connection.setAutoCommit(false);
    }

    List<R> share() {
      return load(shared.table::share);
    }

    CompletableFuture<List<R>> later(Load<K, R> load) {
      return CompletableFuture.supplyAsync(() -> load(load), Thread::startVirtualThread);
    }

    CompletableFuture<List<R>> shareLater() {
      return later(shared.table::share);
    }

    CompletableFuture<List<R>> lockLater() {
      return later(shared.table::lock);
    }

    interface Load<K extends RecordKey<R>, R> {
      void add(Pipeline pipeline, List<K> keys, RecordTable.Loading<K, R> loading);
    }

    private List<R> load(Load<K, R> load) {
      var found = new ArrayList<R>();
      try {
        var pipeline = new Pipeline(connection);
        load.add(pipeline, List.of(shared.key), into(found));
        pipeline.run();
        return found;
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    private static <K extends RecordKey<R>, R> RecordTable.Loading<K, R> into(List<R> found) {
      return new RecordTable.Loading<>() {
        @Override
        public void found(K key, R record) {
          found.add(record);
        }

        @Override
        public void deferred(K key) {
          throw new AssertionError("one record is never too large");
        }
      };
    }

    void execute(String sql) throws SQLException {
      try (var statement = connection.createStatement()) {
        statement.execute(sql);
      }
    }

    void commit() throws SQLException {
      connection.commit();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }

  /** A record that is shared, and a statement that changes it. */
  record Shared<K extends RecordKey<R>, R>(RecordTable<K, R> table, K key, String change) {
    Transaction<K, R> begin() throws SQLException {
      return new Transaction<>(this);
    }

    @Override
    public String toString() {
      return table.getClass().getSimpleName();
    }
  }

  private static Stream<Shared<?, ?>> shared() {
    return Stream.of(
        new Shared<>(
            LifecycleTable.create(new LifecycleCache()),
            new LifecycleId(Invoices.WORKSPACE, "shared"),
            "UPDATE hapax.lifecycle SET applied_at = applied_at + interval '1 s'"
                + " WHERE name = 'shared'"),
        new Shared<>(
            JanitorTable.create(),
            new JanitorId(Invoices.WORKSPACE, "shared"),
            "UPDATE hapax.janitor SET declared_at = declared_at + interval '1 s'"
                + " WHERE module = 'shared'"));
  }

  @ParameterizedTest
  @MethodSource("shared")
  @DisplayName(
      "given readers that overlap, when one changes the record, then readers behind it wait and see the change")
  <K extends RecordKey<R>, R> void fair(Shared<K, R> shared) throws SQLException {
    try (var first = shared.begin();
        var beside = shared.begin();
        var writer = shared.begin();
        var behind = shared.begin()) {
      var before = first.share();
      assertThat(beside.share()).as("readers share").isEqualTo(before).hasSize(1);
      var locked = writer.lockLater();
      nodes.awaitLockWaits(1);
      var later = behind.shareLater();
      nodes.awaitLockWaits(2);

      first.commit();
      beside.commit();
      assertThat(EntityNodes.await(locked)).as("only those before it").isEqualTo(before);
      assertThat(later).as("behind the writer").isNotDone();
      writer.execute(shared.change());
      writer.commit();

      assertThat(EntityNodes.await(later)).hasSize(1).isNotEqualTo(before);
    }
  }

  private static String versions(String table) {
    return nodes.database().query("SELECT string_agg(xmax::text, ' ') FROM hapax." + table);
  }

  @Test
  @DisplayName("actions leave the rows of lifecycle and janitor as they are")
  void unwritten() {
    var lifecycles = versions("lifecycle");
    var janitors = versions("janitor");
    for (var node = 0; node < NODES; node++) {
      var begin = Invoices.begin(invoice("shared", "first"), "close", "admin", "" + node, HOUR);
      EntityNodes.<BeginActionOutcome>await(nodes.submit(node, begin));
    }
    assertThat(versions("lifecycle")).isEqualTo(lifecycles);
    assertThat(versions("janitor")).isEqualTo(janitors);
  }

  @Test
  @DisplayName(
      "given a transaction that reads lifecycle and janitor, then actions proceed and a change waits")
  void held() throws SQLException {
    Invoices.install(nodes, "held", JanitorMode.HOSTED);
    var id = invoice("held", "invoice");
    nodes.run(Invoices.create(id, "approved"));
    var lifecycle = new LifecycleId(Invoices.WORKSPACE, "held");
    var reading = new Shared<>(LifecycleTable.create(new LifecycleCache()), lifecycle, "");
    try (var other = reading.begin()) {
      var _ = other.share();
      var begun = nodes.run(Invoices.begin(id, "close", "admin", "first", HOUR));
      assertThat(begun).isInstanceOf(BeginActionOutcome.Granted.class);
      var retired = nodes.submit(0, Invoices.retire(lifecycle, 1, Set.of("void")));
      nodes.awaitLockWait();
      assertThat(retired).isNotDone();
      other.commit();
      assertThat(EntityNodes.await(retired)).isEmpty();
    }
  }

  @Test
  @DisplayName(
      "given actions without pause on three nodes, then lifecycles and janitors change, and no action fails")
  void underLoad() {
    var names = IntStream.range(0, LIFECYCLES).mapToObj(i -> "busy-" + i).toList();
    names.forEach(name -> Invoices.install(nodes, name, JanitorMode.HOSTED));
    var stopped = new AtomicBoolean();
    var actions = new AtomicInteger();
    var callers =
        IntStream.range(0, CALLERS)
            .mapToObj(
                caller ->
                    CompletableFuture.runAsync(
                        () -> act(caller, names, stopped, actions), Thread::startVirtualThread))
            .toList();
    for (var round = 0; round < 3; round++) {
      for (var i = 0; i < LIFECYCLES; i++) {
        awaitMore(actions, callers);
        change(i % NODES, names.get(i), round);
      }
    }
    awaitMore(actions, callers);
    stopped.set(true);
    EntityNodes.awaitAll(callers.stream());
  }

  /** Creates entities and begins actions on them, and fails with the first that is not granted. */
  private static void act(
      int caller, List<String> names, AtomicBoolean stopped, AtomicInteger actions) {
    for (var i = 0; !stopped.get(); i++) {
      // other lifecycles in another order for each caller
      var name = names.get((caller % 2 == 0 ? i : caller + 3 * i) % LIFECYCLES);
      var id = invoice(name, caller + "-" + i);
      EntityNodes.await(nodes.submit(caller % NODES, Invoices.create(id, "approved")));
      var begin = Invoices.begin(id, "close", "admin", "first", HOUR);
      assertThat(EntityNodes.await(nodes.submit((caller + i) % NODES, begin)))
          .isInstanceOf(BeginActionOutcome.Granted.class);
      actions.incrementAndGet();
    }
  }

  private static void awaitMore(AtomicInteger actions, List<CompletableFuture<Void>> callers) {
    var wanted = actions.get() + CALLERS;
    EntityNodes.awaitUntil(
        "actions go on",
        () ->
            actions.get() >= wanted
                || callers.stream().anyMatch(CompletableFuture::isCompletedExceptionally));
  }

  private static void change(int node, String name, int round) {
    var lifecycle = Invoices.lifecycle(name, "Action" + round);
    var known =
        EntityNodes.await(nodes.lifecycles().find(new LifecycleId(Invoices.WORKSPACE, name)));
    ApplyLifecycles apply = Invoices.apply(lifecycle, known);
    var states = new ArrayList<>(List.of("closing", "regenerating", "round-" + round));
    var contract = Invoices.contract(name, JanitorMode.HOSTED, states.toArray(String[]::new));
    var applied = nodes.submit(node, apply);
    var declared = nodes.submit((node + 1) % NODES, Invoices.declare(contract));
    assertThat(EntityNodes.await(applied))
        .isInstanceOfSatisfying(
            ApplyLifecyclesOutcome.Applied.class,
            done -> assertThat(done.lifecycles().getFirst().already()).isFalse());
    assertThat(EntityNodes.await(declared)).isInstanceOf(ApplyLifecyclesOutcome.Applied.class);
  }
}
