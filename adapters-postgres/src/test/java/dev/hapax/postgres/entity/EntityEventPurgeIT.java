package dev.hapax.postgres.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ActionFailureKind;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.CreateEntityOutcome;
import dev.hapax.domain.entity.DeleteEntity;
import dev.hapax.domain.entity.DeleteEntityOutcome;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.ledger.SqlState;
import dev.hapax.postgres.schema.SessionRoles;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** What is removed of histories, and what stays. Each test has a purge that begins anew. */
class EntityEventPurgeIT {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration RETENTION = Duration.ofDays(30);
  private static final EntityNodes nodes = new EntityNodes(1);

  @BeforeAll
  static void install() {
    Invoices.install(nodes, "purged", JanitorMode.HOSTED);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static EntityId created(String name) {
    var id = new EntityId(Invoices.WORKSPACE, "purged", name);
    create(id);
    return id;
  }

  private static void create(EntityId id) {
    assertThat(nodes.run(Invoices.create(id, "approved")))
        .isInstanceOfSatisfying(
            CreateEntityOutcome.There.class, there -> assertThat(there.created()).isTrue());
  }

  private static ActionClaim begun(EntityId id, int number) {
    var begin = Invoices.begin(id, "close", "admin", "attempt " + number, HOUR);
    return ((BeginActionOutcome.Granted) nodes.run(begin)).claim();
  }

  /** Two events. */
  private static ActionClaim failed(EntityId id, int number) {
    var claim = begun(id, number);
    nodes.run(Invoices.fail(claim, ActionFailureKind.FAILURE));
    return claim;
  }

  private static void delete(EntityId id, String request) {
    assertThat(
            nodes.run(new DeleteEntity(id, request, "obsolete", OptionalLong.empty(), Invoices.BY)))
        .isEqualTo(new DeleteEntityOutcome.Deleted(false));
  }

  /** As if all that is there of it had happened so long ago. */
  private static void age(EntityId id, String interval) {
    for (var table :
        List.of("entity_event SET at = at", "entity_deletion SET deleted_at = deleted_at")) {
      nodes
          .database()
          .execute(
              "UPDATE hapax.%s - interval '%s' WHERE %s = '%s'"
                  .formatted(
                      table,
                      interval,
                      table.startsWith("entity_event") ? "entity_id" : "id",
                      id.id()));
    }
  }

  private static void purge() throws SQLException {
    new EntityEventPurge(
            new MaintenanceConnections(nodes.database().dataSource(), SessionRoles.LOGIN),
            RETENTION)
        .run();
  }

  private static List<EntityEvent> history(EntityId id) {
    return EntityNodes.await(nodes.entities().events(id, 0, 500)).items();
  }

  private static List<Long> versions(EntityId id) {
    return history(id).stream().map(EntityEvent::version).toList();
  }

  private static String rows(EntityId id, String table) {
    var column = table.equals("entity_event") ? "entity_id" : "id";
    return nodes
        .database()
        .query("SELECT count(*) FROM hapax.%s WHERE %s = '%s'".formatted(table, column, id.id()));
  }

  @Test
  @DisplayName(
      "given events older than the retention, then those go, but the last ten stay " + "[C12]")
  void retention() throws SQLException {
    var id = created("old");
    for (var i = 0; i < 10; i++) {
      failed(id, i);
    }
    purge();
    assertThat(versions(id)).hasSize(21);

    age(id, "31 days");
    var young = created("young");
    for (var i = 0; i < 10; i++) {
      failed(young, i);
    }
    purge();
    assertThat(versions(id))
        .containsExactlyElementsOf(LongStream.rangeClosed(12, 21).boxed().toList());
    assertThat(versions(young)).hasSize(21);
  }

  @Test
  @DisplayName("given an old and a young part, then only the old part goes")
  void partlyOld() throws SQLException {
    var id = created("partly");
    for (var i = 0; i < 4; i++) {
      failed(id, i);
    }
    age(id, "31 days");
    for (var i = 4; i < 12; i++) {
      failed(id, i);
    }
    purge();

    assertThat(versions(id))
        .containsExactlyElementsOf(LongStream.rangeClosed(10, 25).boxed().toList());
  }

  @Test
  @DisplayName(
      "given all else is removed, then the last claim is still found, and the entity can change")
  void lastClaim() throws SQLException {
    var id = created("claimed");
    for (var i = 0; i < 10; i++) {
      failed(id, i);
    }
    var last = failed(id, 10);
    var held = begun(id, 11);
    age(id, "400 days");
    purge();

    assertThat(versions(id)).hasSize(10);
    assertThat(EntityNodes.await(nodes.entities().endedBy(last))).isPresent();
    nodes.run(Invoices.complete(held));
    assertThat(versions(id)).hasSize(11);
  }

  @Test
  @DisplayName(
      "given a deletion a minute ago, when purging, then the history goes and the deletion stays")
  void deleted() throws SQLException {
    var id = created("deleted");
    failed(id, 1);
    delete(id, "r1");
    create(id);
    failed(id, 2);
    delete(id, "r2");
    purge();
    assertThat(rows(id, "entity_event")).as("it may still be missed").isEqualTo("8");

    age(id, "2 minutes");
    purge();
    assertThat(rows(id, "entity_event")).isEqualTo("2");
    assertThat(versions(id)).containsExactly(4L, 8L);

    create(id);
    assertThat(versions(id)).containsExactly(4L, 8L, 9L);
    assertThat(EntityNodes.await(nodes.entities().isDeleted(id, "r1"))).isTrue();
  }

  @Test
  @DisplayName("given many events, a deleted history goes in several statements")
  void large() throws SQLException {
    var id = created("large");
    delete(id, "r");
    nodes
        .database()
        .execute(
            """
            INSERT INTO hapax.entity_event (workspace, lifecycle, entity_id, version, at, type, status)
              SELECT '%s', 'purged', 'large', -i, now(), 1, 'approved' FROM generate_series(1, 12000) i
            """
                .formatted(Invoices.WORKSPACE.name()));
    age(id, "2 minutes");
    purge();

    assertThat(rows(id, "entity_event")).isEqualTo("1");
  }

  @Test
  @DisplayName("given a deletion older than the retention, nothing is left, and it can be created")
  void forgotten() throws SQLException {
    var gone = created("gone");
    var back = created("back");
    delete(gone, "r");
    delete(back, "r");
    create(back);
    age(gone, "31 days");
    age(back, "31 days");
    purge();
    purge();

    assertThat(rows(gone, "entity_event")).isEqualTo("0");
    assertThat(rows(gone, "entity_deletion")).isEqualTo("0");
    assertThat(rows(back, "entity_deletion")).isEqualTo("0");
    assertThat(history(back))
        .extracting(EntityEvent::change)
        .hasExactlyElementsOfTypes(EntityChange.Deleted.class, EntityChange.Created.class);
    create(gone);
    assertThat(versions(gone)).containsExactly(1L);
    failed(gone, 1);
    failed(back, 1);
  }

  @Test
  @Timeout(value = 20, threadMode = ThreadMode.SEPARATE_THREAD)
  @DisplayName("given a locked deletion, when purging, then it times out, and passes later")
  void locked() throws SQLException {
    var id = created("locked");
    delete(id, "r");
    age(id, "2 minutes");
    try (var session = nodes.database().connect();
        var hold = session.createStatement()) {
      session.setAutoCommit(false);
      hold.execute("SELECT FROM hapax.entity_deletion WHERE id = 'locked' FOR UPDATE");

      assertThatThrownBy(EntityEventPurgeIT::purge)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(SqlState.of(e)).isEqualTo(SqlState.BLOCKED));
      session.rollback();
    }
    purge();
    assertThat(
            nodes.database().query("SELECT purged FROM hapax.entity_deletion WHERE id = 'locked'"))
        .isEqualTo("t");
  }

  @Test
  @DisplayName("given more entities than one page, when purging, then all are scanned")
  void pages() throws SQLException {
    nodes
        .database()
        .execute(
            """
            INSERT INTO hapax.entity (workspace, lifecycle, id, created_at, version, fence, hold, status)
              SELECT 'many', 'purged', i, now(), 12, 1, 1, 'approved' FROM generate_series(1, 1201) i;
            INSERT INTO hapax.entity_event (workspace, lifecycle, entity_id, version, at, type, status)
              SELECT 'many', 'purged', i, v, now() - interval '31 days', 1, 'approved'
              FROM generate_series(1, 1201) i, generate_series(1, 12) v
            """);
    purge();

    assertThat(
            nodes
                .database()
                .query("SELECT count(*) FROM hapax.entity_event WHERE workspace = 'many'"))
        .isEqualTo("12010");
  }
}
