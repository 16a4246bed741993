package dev.hapax.postgres.operation;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.postgres.ledger.CommitNotifier;
import dev.hapax.postgres.ledger.DatabaseFence;
import dev.hapax.postgres.ledger.DatabaseOutage;
import dev.hapax.postgres.ledger.LedgerConnections;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.WideReads;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Nodes of one database that keep operations, as one ledger: each command goes to the next node, so
 * that rivals meet in the database and not in a queue.
 */
final class OperationNodes implements Ledger, AutoCloseable {
  private static final long LOOK_NANOS = Duration.ofMillis(2).toNanos();

  private final TestDatabase database = TestDatabase.create();
  private final ReadExecutor reads = new ReadExecutor(database.dataSource(), 1);
  private final List<Node> nodes;
  private final AtomicInteger next = new AtomicInteger();

  private record Node(HikariDataSource pool, CommitNotifier signal, PostgresLedger ledger) {
    static Node of(TestDatabase database) {
      var address = new HikariConfig();
      address.setDataSource(database.dataSource());
      var settings = PostgresLedger.Settings.DEFAULT;
      var pool = LedgerConnections.pool(address, settings.committers(), SessionRoles.SEPARATED);
      var signal = new CommitNotifier(database.dataSource(), database.dataSource());
      var tables =
          new OperationTable(
              new ResultPartitions(
                  new MaintenanceConnections(database.dataSource(), SessionRoles.LOGIN)));
      return new Node(
          pool,
          signal,
          new PostgresLedger(
              pool,
              List.of(tables),
              signal,
              new DatabaseFence(0, 1),
              new DatabaseOutage(database.dataSource()),
              new PendingIntents(),
              settings));
    }

    void close() {
      ledger.close();
      signal.close();
      pool.close();
    }
  }

  OperationNodes(int number) {
    Migrations.migrate(database.dataSource());
    nodes = IntStream.range(0, number).mapToObj(_ -> Node.of(database)).toList();
  }

  DataSource dataSource() {
    return database.dataSource();
  }

  /** The record, looked at from outside of every ledger. */
  Optional<Operation> find(OperationId id) {
    return reads().find(id).join();
  }

  OperationReads reads() {
    return new PostgresOperationReads(reads, new WideReads(reads), new PendingIntents());
  }

  /** The database's clock cannot be set: reads it until it shows that time. */
  void letPass(Duration time) {
    var end = time().plus(time);
    while (time().isBefore(end)) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private Instant time() {
    var micros = database.query("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint");
    return Instant.EPOCH.plus(Duration.ofNanos(Long.parseLong(micros) * 1_000));
  }

  @Override
  public <O> CompletableFuture<O> submit(Command<O> command) {
    var turn = Math.floorMod(next.getAndIncrement(), nodes.size());
    return nodes.get(turn).ledger().submit(command);
  }

  @Override
  public void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener) {
    nodes.forEach(node -> node.ledger().onChanges(listener));
  }

  @Override
  public void onRemoteCommit(Runnable listener) {
    nodes.forEach(node -> node.ledger().onRemoteCommit(listener));
  }

  @Override
  public void close() {
    nodes.forEach(Node::close);
    reads.close();
    database.close();
  }
}
