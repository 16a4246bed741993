package dev.hapax.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.domain.cell.Placements;
import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.limit.LimitReads;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.DatabaseReads;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.domain.monitoring.NodeFacts;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.domain.run.PartsGate;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.TurnsGate;
import dev.hapax.domain.security.ApiKeyReads;
import dev.hapax.domain.security.ApiKeyUses;
import dev.hapax.postgres.ServerNode.Registration;
import dev.hapax.postgres.cell.CellIdentity;
import dev.hapax.postgres.cell.CitusSchema;
import dev.hapax.postgres.cell.PostgresPlacements;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.definition.DefinitionTable;
import dev.hapax.postgres.definition.LatestDefinitionTable;
import dev.hapax.postgres.definition.PostgresDefinitionReads;
import dev.hapax.postgres.entity.EntityDeletionTable;
import dev.hapax.postgres.entity.EntityTable;
import dev.hapax.postgres.entity.PostgresEntityReads;
import dev.hapax.postgres.hook.HookTable;
import dev.hapax.postgres.hook.LineLengthTable;
import dev.hapax.postgres.hook.LineTable;
import dev.hapax.postgres.hook.PostgresHookReads;
import dev.hapax.postgres.intent.IntentTable;
import dev.hapax.postgres.intent.PostgresIntentReads;
import dev.hapax.postgres.janitor.JanitorTable;
import dev.hapax.postgres.janitor.PostgresJanitorReads;
import dev.hapax.postgres.janitor.RoundTable;
import dev.hapax.postgres.ledger.CommitNotifier;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.DatabaseFence;
import dev.hapax.postgres.ledger.DatabaseOutage;
import dev.hapax.postgres.ledger.LedgerConnections;
import dev.hapax.postgres.ledger.LedgerObserver;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.lifecycle.LifecycleCache;
import dev.hapax.postgres.lifecycle.LifecycleTable;
import dev.hapax.postgres.lifecycle.LifecycleVersionTable;
import dev.hapax.postgres.lifecycle.PostgresLifecycleReads;
import dev.hapax.postgres.limit.LimitLineTable;
import dev.hapax.postgres.limit.LimitSettingTable;
import dev.hapax.postgres.limit.PostgresLimitReads;
import dev.hapax.postgres.limit.SlotTable;
import dev.hapax.postgres.monitoring.PostgresBacklogReads;
import dev.hapax.postgres.monitoring.PostgresDatabaseReads;
import dev.hapax.postgres.operation.OperationTable;
import dev.hapax.postgres.operation.PostgresOperationReads;
import dev.hapax.postgres.operation.ResultPartitions;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadLanes;
import dev.hapax.postgres.run.PartTable;
import dev.hapax.postgres.run.PostgresFeatureGate;
import dev.hapax.postgres.run.PostgresRunReads;
import dev.hapax.postgres.run.RunKeyTable;
import dev.hapax.postgres.run.RunSignalTable;
import dev.hapax.postgres.run.RunTable;
import dev.hapax.postgres.schema.Installation;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.postgres.security.PostgresApiKeyReads;
import dev.hapax.postgres.security.PostgresApiKeyUses;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** The ledger, the reads and the background work on one PostgreSQL database. */
public final class PostgresStore implements AutoCloseable {
  /** The timers read as often, so an idle server sends no other query to find it out. */
  private static final Duration RECENTLY = Duration.ofSeconds(5);

  private static final Duration HANGING = Duration.ofSeconds(30);
  private static final int POOL_MILLIS = 1_000;

  private final HikariDataSource ledgerPool;
  private final ReadLanes reads;
  private final CommitNotifier signal;
  private final ResultPartitions partitions;
  private final PostgresLedger ledger;
  private final KeyedIds keyedIds;
  private final CellIdentity identity;
  private final Housekeeping housekeeping;
  private final DatabaseFence fence;
  private final DatabaseOutage outage;
  private final ServerNode node;
  private final NodeHeartbeat heartbeat;
  private final DatabaseReads databaseReads;
  private final PartsGate partsGate;
  private final TurnsGate turnsGate;
  private final PendingIntents intents = new PendingIntents();
  private final DefinitionCache definitions = new DefinitionCache();
  private final LifecycleCache lifecycles = new LifecycleCache();

  private PostgresStore(PostgresConfig config, String name) throws SQLException {
    SessionRoles roles;
    int epoch;
    int timeline;
    boolean isDistributed;
    try (var connection = PostgresSources.direct(config).getConnection()) {
      roles = SessionRoles.of(connection, config.rowLevelSecurity());
      keyedIds = new KeyedIds(Installation.secret(connection));
      identity = CellIdentity.read(connection);
      epoch = Installation.epoch(connection);
      timeline = Installation.timeline(connection);
      isDistributed = CitusSchema.isDistributed(connection);
    }
    var maintenance = new MaintenanceConnections(PostgresSources.bounded(config), roles);
    node = ServerNode.ofThisProcess(config.version(), epoch);
    Registration registration;
    try (var connection = maintenance.open()) {
      registration = node.register(connection, Registration.NONE, Optional.empty());
    }
    fence = new DatabaseFence(name, epoch, node.features(), isDistributed);
    outage = PostgresSources.outage(config);
    var address = address(config, outage);
    // no query from here on: if it failed, the pools opened so far would stay open
    ledgerPool = LedgerConnections.pool(address, config.ledger().committers(), roles);
    reads = new ReadLanes(address, fence, config.readConnections(), roles);
    databaseReads = new PostgresDatabaseReads(reads.calls());
    partsGate = new PostgresFeatureGate(reads.calls(), "SELECT hapax.use_parts()")::open;
    turnsGate = new PostgresFeatureGate(reads.calls(), "SELECT hapax.use_turns()")::open;
    heartbeat =
        new NodeHeartbeat(node, registration.after(timeline), fence, maintenance, reads.callPool());
    signal =
        new CommitNotifier(reads.callPool(), PostgresSources.direct(config, outage), heartbeat);
    partitions = new ResultPartitions(maintenance);
    partitions.start();
    ledger =
        new PostgresLedger(
            ledgerPool,
            tables(partitions, lifecycles, definitions, fence.clock()),
            signal,
            fence,
            outage,
            intents,
            config.ledger());
    housekeeping =
        new Housekeeping(
            maintenance, config.runRetention(), config.entityEventRetention(), reads.callPool());
  }

  /**
   * Opens a migrated database.
   *
   * @throws SQLException if it cannot be reached, is read-only, or needs a newer version
   */
  public static PostgresStore open(PostgresConfig config) throws SQLException {
    return open(config, DatabaseFence.UNNAMED);
  }

  /**
   * Opens a migrated database.
   *
   * @param name how errors name it
   * @throws SQLException if it cannot be reached, is read-only, or needs a newer version
   */
  public static PostgresStore open(PostgresConfig config, String name) throws SQLException {
    return new PostgresStore(config, name);
  }

  /**
   * The tables in the order in which every node locks them: intents first, which lead to others,
   * shared records before entities, tokens, limits and their lines before runs, and runs before
   * their signals and parts.
   */
  static List<RecordTable<?, ?>> tables(
      ResultPartitions partitions,
      LifecycleCache lifecycles,
      DefinitionCache definitions,
      DatabaseClock clock) {
    return List.of(
        new IntentTable(),
        new OperationTable(partitions),
        LifecycleTable.create(lifecycles),
        LifecycleVersionTable.create(),
        JanitorTable.create(),
        RoundTable.create(),
        new EntityTable(),
        new EntityDeletionTable(),
        DefinitionTable.create(),
        new LatestDefinitionTable(),
        RunKeyTable.create(),
        HookTable.create(),
        LimitSettingTable.create(),
        LimitLineTable.create(),
        new LineTable(),
        new SlotTable(),
        new LineLengthTable(),
        new RunTable(definitions, clock),
        RunSignalTable.create(),
        PartTable.create());
  }

  private static HikariConfig address(PostgresConfig config, DatabaseOutage outage) {
    var address = new HikariConfig();
    address.setDataSource(PostgresSources.pooled(config, outage));
    address.setConnectionTimeout(POOL_MILLIS);
    return address;
  }

  public Ledger ledger() {
    return ledger;
  }

  public OperationReads operations() {
    return new PostgresOperationReads(reads.calls(), reads.scans(), intents);
  }

  public DefinitionReads definitions() {
    return new PostgresDefinitionReads(reads.calls(), definitions);
  }

  public RunReads runs() {
    return new PostgresRunReads(reads.calls(), reads.timers(), definitions, intents);
  }

  public HookReads hooks() {
    return new PostgresHookReads(reads.calls(), reads.timers(), definitions);
  }

  public LimitReads limits() {
    return new PostgresLimitReads(reads.calls(), reads.timers());
  }

  public IntentReads intents() {
    return new PostgresIntentReads(reads.calls(), reads.timers());
  }

  public LifecycleReads lifecycles() {
    return new PostgresLifecycleReads(reads.calls(), lifecycles);
  }

  public EntityReads entities() {
    return new PostgresEntityReads(reads.calls(), intents);
  }

  public JanitorReads janitors() {
    return new PostgresJanitorReads(reads.calls(), reads.timers());
  }

  public PartsGate partsGate() {
    return partsGate;
  }

  public TurnsGate turnsGate() {
    return turnsGate;
  }

  public DatabaseReads databaseReads() {
    return databaseReads;
  }

  public BacklogReads backlog() {
    return new PostgresBacklogReads(reads.calls(), reads.scans());
  }

  public ApiKeyReads apiKeys() {
    return new PostgresApiKeyReads(reads.keys());
  }

  public ApiKeyUses apiKeyUses() {
    return new PostgresApiKeyUses(reads.keys());
  }

  /**
   * Reports commits to these observers from now on.
   *
   * @param arrivals takes nanoseconds from sending a notification to its arrival on this node
   */
  public void observe(LedgerObserver observer, LongConsumer arrivals) {
    ledger.observe(observer);
    signal.onArrival(arrivals);
  }

  /** The work that waits in this process now; sends no query. */
  public StoreLoad load() {
    return new StoreLoad(
        ledger.queued(),
        reads.queued(),
        StoreLoad.Pool.of("ledger", ledgerPool),
        StoreLoad.Pool.of("reads", reads.callPool()),
        partitions.daysAhead());
  }

  public KeyedIds keyedIds() {
    return keyedIds;
  }

  /**
   * The state of the database when it answered the read that ended last, if that was in the last
   * five seconds, or else now. Blocks for about a second at most.
   */
  public DatabaseState database() {
    var last = reads.last().filter(read -> read.isAnsweredWithin(RECENTLY));
    if (last.isPresent()) {
      return state(last.get().isReadOnly());
    }
    // the pool validates an idle connection by itself; another query would be the second one
    try (var connection = reads.callPool().getConnection()) {
      return state(ReadExecutor.isReadOnly(connection));
    } catch (SQLException _) {
      return DatabaseState.UNREACHABLE;
    }
  }

  private static DatabaseState state(boolean isReadOnly) {
    return isReadOnly ? DatabaseState.READ_ONLY : DatabaseState.WRITABLE;
  }

  /**
   * Whether commands are answered: false if a committer has not finished a batch for 30 s, which is
   * longer than any timeout of the database. Does not block.
   */
  public boolean isProgressing() {
    return ledger.isProgressing(HANGING);
  }

  /**
   * Why this server answers no call any more, if that is so: it would misread the database, or
   * remembers what the database has lost. Does not block.
   */
  public Optional<String> refusal() {
    return fence.refusal();
  }

  /** Runs this when {@link #refusal} has become present. */
  public void onRefused(Runnable listener) {
    fence.onRefused(listener);
  }

  /** What tells this database from other cells. */
  public CellIdentity identity() {
    return identity;
  }

  /** Reports this to other servers with each heartbeat from now on. */
  public void report(Supplier<NodeFacts> facts) {
    heartbeat.report(facts);
  }

  /** The directory of cells, if this is the database of the first one. */
  public Placements placements() {
    return new PostgresPlacements(reads.timers(), node.id());
  }

  /** Runs this whenever a batch has a workspace that is in another cell. */
  public void onMoved(Runnable listener) {
    fence.onMoved(listener);
  }

  /** The timeline of the database, which rises with each promotion; 0 = the provider hides it. */
  public int timeline() {
    return heartbeat.timeline();
  }

  /** The clock of the database, as this server has read it last. */
  public DatabaseClock clock() {
    return fence.clock();
  }

  /** The work that this store repeats. */
  public List<Loop> loops() {
    return List.of(ledger.loop(), signal.loop(), partitions.loop(), housekeeping.loop());
  }

  /** The time since the registration of this server was renewed. Does not block. */
  public Duration registrationAge() {
    return heartbeat.age();
  }

  /** Answers the commands that were accepted, then closes all connections. */
  @Override
  public void close() {
    ledger.close();
    partitions.close();
    housekeeping.close();
    signal.close();
    heartbeat.close();
    // connections that pools are opening
    outage.close();
    reads.close();
    ledgerPool.close();
  }
}
