package dev.hapax.postgres.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fence;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityDeletion;
import dev.hapax.domain.entity.EntityDeletionId;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.run.Phase;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.definition.DefinitionTable;
import dev.hapax.postgres.entity.EntityDeletionTable;
import dev.hapax.postgres.entity.EntityEventPurge;
import dev.hapax.postgres.entity.EntitySamples;
import dev.hapax.postgres.entity.EntityTable;
import dev.hapax.postgres.hook.PlacePurge;
import dev.hapax.postgres.intent.IntentOutcomePurge;
import dev.hapax.postgres.ledger.CommitNotifier;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.DatabaseFence;
import dev.hapax.postgres.ledger.DatabaseOutage;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.limit.LimitPurge;
import dev.hapax.postgres.operation.ResultPartitions;
import dev.hapax.postgres.run.RunKeyPurge;
import dev.hapax.postgres.run.RunNodes;
import dev.hapax.postgres.run.RunPurge;
import dev.hapax.postgres.run.RunSamples;
import dev.hapax.postgres.run.RunTable;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The statements around the records: of a batch, of partitions, and of purges. */
class MaintenanceSqlIT {
  private static final Duration RETENTION = Duration.ofDays(1);
  private static final Definition DEFINITION = RunSamples.everyKind("sample");
  private final TestDatabase database = TestDatabase.create();
  private final RecordedConnections connections = new RecordedConnections(database.dataSource());

  @BeforeEach
  void migrate() {
    Migrations.migrate(database.dataSource());
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  @DisplayName("given one committer, when it runs its first batch, then this is sent")
  void batch() throws Exception {
    var settings = PostgresLedger.Settings.DEFAULT.withCommitters(1);
    var sql = new GoldenSql("ledger/batch", connections);
    try (var signal = new CommitNotifier(database.dataSource(), database.dataSource());
        var ledger =
            new PostgresLedger(
                connections.dataSource(),
                List.of(DefinitionTable.create()),
                signal,
                new DatabaseFence(0, 1),
                new DatabaseOutage(connections.dataSource()),
                new PendingIntents(),
                settings)) {
      sql.add(
          "register a definition",
          () -> ledger.submit(RunNodes.write(DEFINITION.id(), DEFINITION)).join());
      sql.add("read it", () -> ledger.submit(RunNodes.read(DEFINITION.id())).join());
    }
    sql.verify();
  }

  @Test
  @DisplayName("given a new database, when partitions are maintained, then this is sent")
  void partitions() throws Exception {
    var sql = new GoldenSql("maintenance/result_partitions", connections);
    try (var partitions =
        new ResultPartitions(
            new MaintenanceConnections(connections.dataSource(), SessionRoles.LOGIN))) {
      sql.add("create what is missing", partitions::maintain);
      database.execute(
          "CREATE TABLE hapax.operation_result_20200101 (LIKE hapax.operation_result)");
      sql.add("drop what is over", partitions::maintain);
    }
    sql.verify();
  }

  @Test
  @DisplayName("given a run that ended long ago, when runs are purged, then this is sent")
  void runs() throws Exception {
    var origin = RunSamples.origin(RunSamples.PAYLOADS.getFirst(), Map.of("label", "value"));
    var run = RunSamples.run(DEFINITION, origin, new Phase.Completed(RunSamples.NOW));
    try (var connection = database.connect()) {
      new TableCalls<>(connection, DefinitionTable.create())
          .write(List.of(new Write<DefinitionId, Definition>(DEFINITION.id(), null, DEFINITION)));
      new TableCalls<>(connection, new RunTable(new DefinitionCache(), new DatabaseClock()))
          .write(List.of(new Write<>(run.id(), null, run)));
    }
    var sql = new GoldenSql("maintenance/run_purge", connections);
    sql.add(
        "run",
        () ->
            new RunPurge(
                    new MaintenanceConnections(connections.dataSource(), SessionRoles.LOGIN),
                    RETENTION)
                .run());
    sql.verify();
  }

  @Test
  @DisplayName("given a key of a removed run, when keys are purged, then this is sent")
  void keys() throws Exception {
    database.execute(
        """
        INSERT INTO hapax.run_key
        VALUES ('runs', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now())""");
    var purge =
        new RunKeyPurge(
            new MaintenanceConnections(connections.dataSource(), SessionRoles.LOGIN), RETENTION);
    var sql = new GoldenSql("maintenance/run_key_purge", connections);
    sql.add("run", () -> assertThat(purge.run()).isEqualTo(1));
    sql.verify();
  }

  @Test
  @DisplayName("given a place without its run, when places are purged, then this is sent")
  void places() throws Exception {
    database.execute(
        "INSERT INTO hapax.place VALUES ('runs', gen_random_uuid(), 1, gen_random_uuid())");
    var purge =
        new PlacePurge(new MaintenanceConnections(connections.dataSource(), SessionRoles.LOGIN));
    var sql = new GoldenSql("maintenance/place_purge", connections);
    sql.add("run", () -> assertThat(purge.run()).isEqualTo(1));
    sql.verify();
  }

  @Test
  @DisplayName(
      "given a slot without its run and an unused limit, when limits are purged, then this is sent")
  void limits() throws Exception {
    database.execute(
        """
        INSERT INTO hapax.slot VALUES ('runs', gen_random_uuid(), 1, gen_random_uuid());
        INSERT INTO hapax.limit_line (workspace, hash, of_definitions, name, key, max_running, last_turn)
          SELECT 'runs', gen_random_uuid(), false, 'api', age::text, 1,
            extract(epoch FROM now() - age * interval '1 day') * 1000000
          FROM unnest(ARRAY[6, 8]) age""");
    var purge =
        new LimitPurge(new MaintenanceConnections(connections.dataSource(), SessionRoles.LOGIN));
    var sql = new GoldenSql("maintenance/limit_purge", connections);
    sql.add("run", () -> assertThat(purge.run()).isEqualTo(2));
    sql.verify();
  }

  @Test
  @DisplayName("given an old outcome of an intent, when outcomes are purged, then this is sent")
  void outcomes() throws Exception {
    database.execute(
        """
        INSERT INTO hapax.intent_outcome (workspace, id, verb, role, posted_at, tries, taken_at)
        SELECT 'a', gen_random_uuid(), 1, 'shop', now(), 0, now() - age * interval '1 day'
        FROM unnest(ARRAY[1, 6, 8, 9]) age""");
    var purge =
        new IntentOutcomePurge(
            new MaintenanceConnections(connections.dataSource(), SessionRoles.LOGIN));
    var sql = new GoldenSql("maintenance/intent_outcome_purge", connections);
    sql.add("run", () -> assertThat(purge.run()).isEqualTo(2));
    sql.verify();
    assertThat(database.query("SELECT count(*) FROM hapax.intent_outcome")).isEqualTo("2");
  }

  @Test
  @DisplayName("given old events and a deleted entity, when events are purged, then this is sent")
  void events() throws Exception {
    var old = new EntityId(EntitySamples.WORKSPACE, "invoices", "old");
    var samples = new EntitySamples(1);
    var events = samples.events();
    write(old, samples.entity(old, events.size()).with(events));
    var deleted = new EntityId(EntitySamples.WORKSPACE, "invoices", "deleted");
    var deletion =
        new EntityDeletion(deleted, 2, new Fence(2), RunSamples.NOW, "request", List.of());
    try (var connection = database.connect()) {
      new TableCalls<>(connection, new EntityDeletionTable())
          .write(List.of(new Write<>(new EntityDeletionId(deleted), null, deletion)));
    }
    var sql = new GoldenSql("maintenance/entity_event_purge", connections);
    sql.add(
        "run",
        () ->
            new EntityEventPurge(
                    new MaintenanceConnections(connections.dataSource(), SessionRoles.LOGIN),
                    RETENTION)
                .run());
    sql.verify();
  }

  private void write(EntityId id, Entity entity) throws SQLException {
    try (var connection = database.connect()) {
      new TableCalls<>(connection, new EntityTable()).write(List.of(new Write<>(id, null, entity)));
    }
  }
}
