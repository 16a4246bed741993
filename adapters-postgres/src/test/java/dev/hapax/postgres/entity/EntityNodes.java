package dev.hapax.postgres.entity;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.run.RunReads;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.definition.DefinitionTable;
import dev.hapax.postgres.definition.LatestDefinitionTable;
import dev.hapax.postgres.hook.HookTable;
import dev.hapax.postgres.janitor.JanitorTable;
import dev.hapax.postgres.janitor.PostgresJanitorReads;
import dev.hapax.postgres.janitor.RoundTable;
import dev.hapax.postgres.ledger.CommitNotifier;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.DatabaseFence;
import dev.hapax.postgres.ledger.DatabaseOutage;
import dev.hapax.postgres.ledger.LedgerConnections;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.lifecycle.LifecycleCache;
import dev.hapax.postgres.lifecycle.LifecycleTable;
import dev.hapax.postgres.lifecycle.LifecycleVersionTable;
import dev.hapax.postgres.lifecycle.PostgresLifecycleReads;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.WideReads;
import dev.hapax.postgres.run.PartTable;
import dev.hapax.postgres.run.PostgresRunReads;
import dev.hapax.postgres.run.RunKeyTable;
import dev.hapax.postgres.run.RunSignalTable;
import dev.hapax.postgres.run.RunTable;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Nodes of one database that keep entities, and all that entities need. */
public final class EntityNodes implements AutoCloseable {
  private static final int READERS = 2;
  private final TestDatabase database = TestDatabase.create();
  private final HikariDataSource readPool;
  private final ReadExecutor reads;
  private final EntityReads entities;
  private final LifecycleReads lifecycles;
  private final List<Node> nodes = new ArrayList<>();

  private record Node(HikariDataSource pool, CommitNotifier signal, PostgresLedger ledger) {
    static Node of(TestDatabase database, RecordTable<?, ?> entities) {
      var address = new HikariConfig();
      address.setDataSource(database.dataSource());
      var settings = PostgresLedger.Settings.DEFAULT;
      var pool = LedgerConnections.pool(address, settings.committers(), SessionRoles.SEPARATED);
      var signal = new CommitNotifier(database.dataSource(), database.dataSource());
      return new Node(
          pool,
          signal,
          new PostgresLedger(
              pool,
              tables(entities),
              signal,
              new DatabaseFence(0, 1),
              new DatabaseOutage(database.dataSource()),
              new PendingIntents(),
              settings));
    }

    private static List<RecordTable<?, ?>> tables(RecordTable<?, ?> entities) {
      return List.of(
          LifecycleTable.create(new LifecycleCache()),
          LifecycleVersionTable.create(),
          JanitorTable.create(),
          RoundTable.create(),
          entities,
          new EntityDeletionTable(),
          DefinitionTable.create(),
          new LatestDefinitionTable(),
          RunKeyTable.create(),
          HookTable.create(),
          new RunTable(new DefinitionCache(), new DatabaseClock()),
          RunSignalTable.create(),
          PartTable.create());
    }

    void close() {
      ledger.close();
      signal.close();
      pool.close();
    }
  }

  public EntityNodes(int number) {
    Migrations.migrate(database.dataSource());
    var address = new HikariConfig();
    address.setDataSource(database.dataSource());
    address.setMaximumPoolSize(READERS);
    readPool = new HikariDataSource(address);
    reads = new ReadExecutor(readPool, READERS);
    entities = new PostgresEntityReads(reads, new PendingIntents());
    lifecycles = new PostgresLifecycleReads(reads, new LifecycleCache());
    for (var i = 0; i < number; i++) {
      nodes.add(Node.of(database, new EntityTable()));
    }
  }

  /** One more, which keeps entities in its own way. */
  PostgresLedger node(RecordTable<?, ?> table) {
    nodes.add(Node.of(database, table));
    return nodes.getLast().ledger();
  }

  public TestDatabase database() {
    return database;
  }

  public EntityReads entities() {
    return entities;
  }

  public LifecycleReads lifecycles() {
    return lifecycles;
  }

  public JanitorReads janitors() {
    return new PostgresJanitorReads(reads, new WideReads(reads));
  }

  public RunReads runs() {
    return new PostgresRunReads(
        reads, new WideReads(reads), new DefinitionCache(), new PendingIntents());
  }

  public Ledger ledger(int node) {
    return nodes.get(node).ledger();
  }

  public <O> CompletableFuture<O> submit(int node, Command<O> command) {
    return nodes.get(node).ledger().submit(command);
  }

  /** On the first node. */
  public <O> O run(Command<O> command) {
    return await(submit(0, command));
  }

  public static <O> O await(CompletableFuture<O> future) {
    return future.orTimeout(30, TimeUnit.SECONDS).join();
  }

  public static <O> List<O> awaitAll(Stream<? extends CompletableFuture<? extends O>> futures) {
    return futures.toList().stream().<O>map(EntityNodes::await).toList();
  }

  /** Waits until a session waits for a lock. */
  void awaitLockWait() {
    awaitLockWaits(1);
  }

  /** Waits until so many sessions wait for a lock. */
  void awaitLockWaits(int sessions) {
    awaitUntil(sessions + " wait for a lock", () -> lockWaits() >= sessions);
  }

  public static void awaitUntil(String what, BooleanSupplier condition) {
    var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("timed out: " + what).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private int lockWaits() {
    return Integer.parseInt(
        database.query(
            "SELECT count(*) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND wait_event_type = 'Lock'"));
  }

  /** Stops all nodes, so that what their connections counted is counted, and tells the number. */
  int deadlocks() {
    nodes.forEach(Node::close);
    nodes.clear();
    return Integer.parseInt(
        database.query(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"));
  }

  @Override
  public void close() {
    nodes.forEach(Node::close);
    reads.close();
    readPool.close();
    database.close();
  }
}
