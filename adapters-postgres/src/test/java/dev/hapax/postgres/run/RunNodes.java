package dev.hapax.postgres.run;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.limit.LimitReads;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.definition.DefinitionTable;
import dev.hapax.postgres.definition.LatestDefinitionTable;
import dev.hapax.postgres.definition.PostgresDefinitionReads;
import dev.hapax.postgres.hook.HookTable;
import dev.hapax.postgres.hook.LineLengthTable;
import dev.hapax.postgres.hook.LineTable;
import dev.hapax.postgres.hook.PostgresHookReads;
import dev.hapax.postgres.ledger.CommitNotifier;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.DatabaseFence;
import dev.hapax.postgres.ledger.DatabaseOutage;
import dev.hapax.postgres.ledger.LedgerConnections;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.limit.LimitLineTable;
import dev.hapax.postgres.limit.LimitSettingTable;
import dev.hapax.postgres.limit.PostgresLimitReads;
import dev.hapax.postgres.limit.SlotTable;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.WideReads;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Nodes of one database that keep definitions and runs. */
public final class RunNodes implements AutoCloseable {
  private static final int READERS = 2;
  private final TestDatabase database = TestDatabase.create();
  private final HikariDataSource readPool;
  private final ReadExecutor reads;
  private final DefinitionCache definitions = new DefinitionCache();
  private final List<Node> nodes;

  private record Node(HikariDataSource pool, CommitNotifier signal, PostgresLedger ledger) {
    static Node of(
        TestDatabase database, RecordTable<RunId, Run> runs, PostgresLedger.Settings settings) {
      var address = new HikariConfig();
      address.setDataSource(database.dataSource());
      var pool = LedgerConnections.pool(address, settings.committers(), SessionRoles.SEPARATED);
      var signal = new CommitNotifier(database.dataSource(), database.dataSource());
      return new Node(
          pool,
          signal,
          new PostgresLedger(
              pool,
              tables(runs),
              signal,
              new DatabaseFence(0, 1),
              new DatabaseOutage(database.dataSource()),
              new PendingIntents(),
              settings));
    }

    private static List<RecordTable<?, ?>> tables(RecordTable<RunId, Run> runs) {
      return List.of(
          DefinitionTable.create(),
          new LatestDefinitionTable(),
          RunKeyTable.create(),
          HookTable.create(),
          LimitSettingTable.create(),
          LimitLineTable.create(),
          new LineTable(),
          new LineLengthTable(),
          new SlotTable(),
          runs,
          RunSignalTable.create(),
          PartTable.create());
    }

    void close() {
      ledger.close();
      signal.close();
      pool.close();
    }
  }

  /** Looks or changes without deciding anything. */
  private record Access<O>(List<RecordKey<?>> keys, BiFunction<BatchRecords, Instant, O> access)
      implements Command<O> {
    @Override
    public Workspace workspace() {
      return keys.getFirst().workspace();
    }

    @Override
    public Urgency urgency() {
      return Urgency.START;
    }

    @Override
    public int size() {
      return 64;
    }

    @Override
    public O decide(BatchRecords records, Instant now) {
      return access.apply(records, now);
    }
  }

  public RunNodes(int number) {
    Migrations.migrate(database.dataSource());
    var address = new HikariConfig();
    address.setDataSource(database.dataSource());
    address.setMaximumPoolSize(READERS);
    readPool = new HikariDataSource(address);
    reads = new ReadExecutor(readPool, READERS);
    nodes =
        IntStream.range(0, number)
            .mapToObj(
                _ ->
                    Node.of(
                        database,
                        new RunTable(new DefinitionCache(), new DatabaseClock()),
                        PostgresLedger.Settings.DEFAULT))
            .collect(Collectors.toCollection(ArrayList::new));
  }

  /** One more, which keeps runs in its own way, and has one committer. */
  PostgresLedger node(RecordTable<RunId, Run> runs) {
    nodes.add(Node.of(database, runs, PostgresLedger.Settings.DEFAULT.withCommitters(1)));
    return nodes.getLast().ledger();
  }

  public TestDatabase database() {
    return database;
  }

  public DefinitionReads definitions() {
    return new PostgresDefinitionReads(reads, definitions);
  }

  public LimitReads limits() {
    return new PostgresLimitReads(reads, new WideReads(reads));
  }

  public HookReads hooks() {
    return new PostgresHookReads(reads, new WideReads(reads), definitions);
  }

  public RunReads runs() {
    return new PostgresRunReads(reads, new WideReads(reads), definitions, new PendingIntents());
  }

  public PostgresLedger ledger(int node) {
    return nodes.get(node).ledger();
  }

  /** On the first node. */
  public <O> O run(Command<O> command) {
    return ledger(0).submit(command).orTimeout(30, TimeUnit.SECONDS).join();
  }

  /** On the first node, all at once. */
  <O> List<O> runAll(Collection<? extends Command<O>> commands) {
    return commands.stream().map(c -> ledger(0).submit(c)).toList().stream()
        .map(future -> future.orTimeout(30, TimeUnit.SECONDS).join())
        .toList();
  }

  public static <R> Command<R> read(RecordKey<R> key) {
    return new Access<>(List.of(key), (records, _) -> records.get(key).orElseThrow());
  }

  public static <R> Command<Boolean> write(RecordKey<R> key, R record) {
    return new Access<>(
        List.of(key),
        (records, _) -> {
          records.put(key, record);
          return true;
        });
  }

  /** Stops all nodes, so that what their connections counted is counted, and tells the number. */
  public int deadlocks() {
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
