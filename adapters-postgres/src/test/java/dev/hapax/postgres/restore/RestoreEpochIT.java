package dev.hapax.postgres.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import java.time.Instant;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class RestoreEpochIT {
  private static final String LONG_AGO = "1000";
  private static final String NONE = "NULL";
  private final TestDatabase database = TestDatabase.create();

  @BeforeEach
  void migrate() {
    Migrations.migrate(database.dataSource());
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void operation(int state, String fence, String requestId, String pending) {
    database.execute(
        String.format(
            Locale.ROOT,
            """
        INSERT INTO hapax.operation (workspace, id, state, attempt, nonce, fence, started_at, expires_at,
            until, fingerprint, account_changing, hold, account, operation, request_id, pending_intent)
          VALUES ('default', gen_random_uuid(), %d, 1, 7, %s, now(), now() + interval '1 day', now(),
            gen_random_uuid(), false, false, 'acme', 'charge', '%s', %s)
        """,
            state,
            fence,
            requestId,
            pending));
  }

  private String fence(String requestId) {
    return database.query(
        "SELECT CASE WHEN fence > %s THEN 'raised' ELSE 'kept' END FROM hapax.operation WHERE request_id = '%s'"
            .formatted(LONG_AGO, requestId));
  }

  private RestoreOutcome begin(RestoreKind kind, boolean exclusive) throws Exception {
    return new RestoreEpoch(kind, exclusive).begin(database.dataSource());
  }

  private RestoreOutcome.Begun begun(RestoreKind kind) throws Exception {
    return (RestoreOutcome.Begun) begin(kind, true);
  }

  @Test
  @Tag("U6")
  @DisplayName("given operations of every state, then the fences of those with a claim are raised")
  void fences() throws Exception {
    operation(1, LONG_AGO, "in-progress", NONE);
    operation(2, LONG_AGO, "indeterminate", NONE);
    operation(3, LONG_AGO, "released", NONE);
    operation(1, LONG_AGO, "completed-in-sql", "gen_random_uuid()");

    var state = begun(RestoreKind.REPLACEMENT).state();

    assertThat(fence("in-progress")).isEqualTo("raised");
    assertThat(fence("indeterminate")).isEqualTo("raised");
    assertThat(fence("released")).isEqualTo("kept");
    assertThat(fence("completed-in-sql")).as("its intent names the claim").isEqualTo("kept");
    assertThat(state.grants())
        .extracting(OpenGrant::name, OpenGrant::holder)
        .containsExactly(tuple("charge in-progress", "acme"));
    assertThat(state.grantCounts()).containsOnlyKeys("operation").containsValue(1L);
    assertThat(state.indeterminate()).isOne();
    assertThat(state.lastHeartbeat()).isEmpty();
  }

  @Test
  @DisplayName("given several restores, then each begins an epoch of its own")
  void epochs() throws Exception {
    database.execute("SELECT hapax.register_node(gen_random_uuid(), '1.0.0', 0, 0, 0)");
    var first = begun(RestoreKind.REPLACEMENT);
    var second = begun(RestoreKind.COPY);

    assertThat(first.epoch()).isEqualTo(1);
    assertThat(first.state().lastHeartbeat().orElseThrow()).isBefore(Instant.now().plusSeconds(5));
    assertThat(second.epoch()).isEqualTo(2);
    assertThat(second.state().lastHeartbeat()).as("no earlier server is registered").isEmpty();
    assertThat(
            database.query(
                "SELECT string_agg(epoch || ' ' || kind || ' ' || (state_of IS NULL), ', ' ORDER BY epoch)"
                    + " FROM hapax.restoration"))
        .isEqualTo("1 replacement false, 2 copy true");
  }

  @Test
  @DisplayName("given a registered server, then nothing is changed, unless no server can be there")
  void servers() throws Exception {
    operation(1, LONG_AGO, "held", NONE);
    database.execute("SELECT hapax.register_node(gen_random_uuid(), '1.0.0', 0, 0, 0)");

    assertThat(begin(RestoreKind.REPLACEMENT, false))
        .isInstanceOfSatisfying(
            RestoreOutcome.ServerRuns.class,
            server -> assertThat(server.version()).isEqualTo("1.0.0"));
    assertThat(fence("held")).isEqualTo("kept");

    database.execute("UPDATE hapax.node SET seen_at = seen_at - interval '61 s'");
    assertThat(begin(RestoreKind.REPLACEMENT, false)).isInstanceOf(RestoreOutcome.Begun.class);
  }

  @Test
  @Tag("U6")
  @DisplayName("given a clock behind the newest fence, then nothing is changed")
  void clock() throws Exception {
    operation(1, LONG_AGO, "held", NONE);
    operation(3, "(extract(epoch FROM now()) + 3600) * 1000000", "later", NONE);

    assertThat(begin(RestoreKind.REPLACEMENT, true))
        .isInstanceOfSatisfying(
            RestoreOutcome.ClockBehind.class, clock -> assertThat(clock.behind()).hasMinutes(59));
    assertThat(fence("held")).isEqualTo("kept");
    assertThat(database.query("SELECT count(*) FROM hapax.restoration")).isEqualTo("0");
  }

  @Test
  @DisplayName("given API keys, then a copy revokes them, and a replacement reports them")
  void keys() throws Exception {
    database.execute(
        """
        INSERT INTO hapax.api_key (id, secret_hash, principal, grants, created_at, created_by, expires_at, revoked_at)
        VALUES ('live', 'x', 'billing', '{}', now(), 'me', NULL, NULL),
          ('expired', 'x', 'billing', '{}', now(), 'me', now() - interval '1 day', NULL),
          ('revoked', 'x', 'billing', '{}', now(), 'me', NULL, '2020-01-01')
        """);
    var live = "SELECT string_agg(id, ' ' ORDER BY id) FROM hapax.api_key WHERE revoked_at IS NULL";

    assertThat(begun(RestoreKind.REPLACEMENT).state().liveKeys()).isOne();
    assertThat(database.query(live)).isEqualTo("expired live");

    assertThat(begun(RestoreKind.COPY).state().liveKeys()).isOne();
    assertThat(database.query(live)).isEqualTo("null");
    assertThat(
            database.query(
                "SELECT revoked_at < '2021-01-01' FROM hapax.api_key WHERE id = 'revoked'"))
        .isEqualTo("t");
  }
}
