package dev.hapax.postgres.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads.Query;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.postgres.entity.PolledEntities.Poll;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.read.IndexScanPlan;
import dev.hapax.postgres.schema.SessionRoles;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jooq.Select;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is asked of many entities goes by an index, also before anything is known of the table. */
class EntityPlansIT {
  private static final int ALL = 20_000;
  private static EntityNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new EntityNodes(1);
    nodes
        .database()
        .execute(
            String.format(
                Locale.ROOT,
                """
            ALTER TABLE hapax.entity SET (autovacuum_enabled = false);
            INSERT INTO hapax.lifecycle (workspace, name, version, applied_at, applied_by, reason)
              VALUES ('runs', 'billing', 1, now(), '', '');
            INSERT INTO hapax.entity (workspace, lifecycle, id, created_at, version, fence, hold,
                status, module, lease_until)
              SELECT 'runs', 'billing', i, now(), 1, 1, CASE WHEN i %% 400 = 0 THEN 2 ELSE 1 END,
                CASE WHEN i %% 10 = 0 THEN 'closed' ELSE 'draft' END, CASE WHEN i %% 400 = 0 THEN 'billing' END,
                CASE WHEN i %% 400 = 0 THEN now() END
              FROM generate_series(1, %d) i
            """,
                ALL));
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  /** Plans are those of the server's role, to which row-level security applies. */
  private static void begin(Connection connection) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(SessionRoles.SEPARATED.beginRuntime());
      statement.execute("SELECT set_config('hapax.scope', 'runs', false)");
    }
  }

  private static String plan(Connection connection, Select<?> keys) throws SQLException {
    var select = KeyedEntities.select(EntitySamples.WORKSPACE, keys, 20);
    return IndexScanPlan.of(connection, RenderedSql.text(select), select.getBindValues());
  }

  private static Query query(Set<String> statuses, boolean claimed) {
    var last = new EntityId(EntitySamples.WORKSPACE, "billing", "5000");
    return new Query(
        EntitySamples.WORKSPACE,
        Optional.empty(),
        statuses,
        claimed,
        Optional.empty(),
        20,
        Optional.of(last));
  }

  private static void assertGoesBy(String plan, String... indexes) {
    assertThat(plan).doesNotContain("Seq Scan on entity").contains(indexes);
  }

  @Test
  @DisplayName("sweeps, polls and lists go by the index that is made for them [C6]")
  void byIndex() throws SQLException {
    try (var connection = nodes.database().connect()) {
      begin(connection);
      // at first nothing is known of the table
      assertJanitorsGoByIndex(connection);
      nodes.database().execute("ANALYZE hapax.entity");
      assertJanitorsGoByIndex(connection);
      assertGoesBy(
          plan(connection, new EntityList(query(Set.of("closed", "void"), false)).keys()),
          "entity_status",
          "entity_claimed");
      var lifecycle = new LifecycleId(EntitySamples.WORKSPACE, "billing");
      assertGoesBy(
          plan(connection, StuckEntityQuery.strandedKeys(lifecycle, Set.of("closed", "void"), 20)),
          "entity_status",
          "entity_claimed");
    }
  }

  private static void assertJanitorsGoByIndex(Connection connection) throws SQLException {
    var janitor = new JanitorId(EntitySamples.WORKSPACE, "billing");
    assertGoesBy(
        IndexScanPlan.of(
            connection, StuckEntityQuery.STALE, List.of("runs", "billing", 1_000_000L, 10)),
        "entity_taken");
    assertGoesBy(
        IndexScanPlan.of(
            connection,
            PolledEntities.POLLED,
            PolledEntities.POLLS.parameters(List.of(new Poll(janitor, new UUID(1, 2))))),
        "entity_poll");
    assertGoesBy(plan(connection, new EntityList(query(Set.of(), true)).keys()), "entity_claimed");
    assertGoesBy(plan(connection, new EntityList(query(Set.of(), false)).keys()), "entity_pkey");
  }
}
