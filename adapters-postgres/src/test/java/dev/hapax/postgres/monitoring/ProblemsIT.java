package dev.hapax.postgres.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.BacklogReads.Server;
import dev.hapax.domain.monitoring.BacklogReads.StuckCounts;
import dev.hapax.domain.monitoring.BacklogReads.WorkspaceCount;
import dev.hapax.domain.monitoring.NodeFacts;
import dev.hapax.domain.monitoring.Problem;
import dev.hapax.domain.monitoring.Problem.Cause;
import dev.hapax.domain.security.AllowedNames;
import dev.hapax.postgres.cell.PostgresPlacements;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.WideReads;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is stuck, beside a great many items of one cause. */
class ProblemsIT {
  private static final int MANY = 20_000;
  private static final Workspace SHOP = new Workspace("shop");
  private static final Workspace BULK = new Workspace("bulk");
  private static final TestDatabase DATABASE = TestDatabase.create();
  private static final ReadExecutor READS = new ReadExecutor(DATABASE.dataSource(), 2);
  private static final BacklogReads BACKLOG = new PostgresBacklogReads(READS, new WideReads(READS));

  @BeforeAll
  static void fill() {
    Migrations.migrate(DATABASE.dataSource());
    for (var kind = 0; kind < 4; kind++) {
      failed("import-" + kind, "HTTP_429", "30 min", MANY);
    }
    failed("order", "CARD_DECLINED", "3 h", 2);
    failed("order", "CARD_DECLINED", "10 min", 1);
    operations(SHOP, "bulk.v1.Mail/Send", 2, "5 min", MANY / 2 - 10);
    operations(SHOP, "bulk.v1.Mail/Send", 1, "5 min", 300);
    operations(SHOP, "psp.v1.Charge/Create", 2, "90 min", 3);
    operations(SHOP, "psp.v1.Charge/Create", 1, "10 s", 5);
    operations(BULK, "bulk.v1.Mail/Send", 2, "5 min", BacklogReads.COUNT_LIMIT - 2);
    operations(BULK, "psp.v1.Charge/Create", 2, "5 min", 3);
    DATABASE.execute(
        """
        INSERT INTO hapax.intent_outcome (workspace, id, verb, role, posted_at, tries, taken_at, reason)
        SELECT 'shop', gen_random_uuid(), 1, 'app', now(), 1, now() - interval '2 min', 'UNKNOWN_DEFINITION'
        FROM generate_series(1, 4);
        INSERT INTO hapax.node (id, version, features, started_at, seen_at, cells, facts) VALUES
          (gen_random_uuid(), '1.0.0', 3, now() - interval '3 h', now(), '{eu}', '{"later": 1}'),
          (gen_random_uuid(), '1.1.0', 3, now() - interval '2 h', now() - interval '1 h', NULL, NULL),
          (gen_random_uuid(), '0.9.0', 3, now() - interval '5 d', now() - interval '2 d', NULL, NULL);
        INSERT INTO hapax.cell (name) VALUES ('eu'), ('us');
        INSERT INTO hapax.placement VALUES ('empty', 'eu', 1);
        INSERT INTO hapax.move VALUES ('empty', 'eu', 'us', 'copy', 'copying', gen_random_uuid());
        ANALYZE hapax.run, hapax.operation;
        """);
  }

  private static void failed(String definition, String code, String ago, int howMany) {
    DATABASE.execute(
        String.format(
            Locale.ROOT,
            """
            INSERT INTO hapax.run (workspace, id, created_at, not_before, remembered_until, definition_name,
              definition_version, version, fence, received, step, attempt, allowed, unconsumed, named,
              status, phase, paused, failure_code, until)
            SELECT 'shop', gen_random_uuid(), now(), now(), now(), '%s', '1', 1, 1, 0, 2, 1, 3, 0, 0,
              6, 7, false, '%s', now() - interval '%s' FROM generate_series(1, %d)
            """,
            definition,
            code,
            ago,
            howMany));
  }

  private static void operations(
      Workspace workspace, String operation, int state, String ago, int howMany) {
    DATABASE.execute(
        String.format(
            Locale.ROOT,
            """
            INSERT INTO hapax.operation (workspace, id, state, attempt, nonce, fence, started_at,
              expires_at, until, fingerprint, account_changing, hold, account, operation, request_id)
            SELECT '%s', gen_random_uuid(), %d, 1, 1, 1, now(), now(), now() - interval '%s',
              gen_random_uuid(), false, false, 'ann', '%s', i FROM generate_series(1, %d) i
            """,
            workspace.name(),
            state,
            ago,
            operation,
            howMany));
  }

  @AfterAll
  static void stop() {
    READS.close();
    DATABASE.close();
  }

  @Test
  @DisplayName(
      "given many items of one cause, then they are one problem, and the oldest cause is first")
  void problems() {
    var found = BACKLOG.problems(SHOP).join();
    assertThat(found.isKnown()).isTrue();
    assertThat(found.problems())
        .extracting(
            Problem::cause,
            problem -> problem.tally().number(),
            problem -> problem.tally().truncated(),
            problem -> problem.tally().lastHour())
        .startsWith(
            tuple(failed("order", "CARD_DECLINED"), 3, false, 1),
            tuple(new Cause.OperationsInDoubt("psp.v1.Charge/Create"), 3, false, 0),
            tuple(failed("import-0", "HTTP_429"), 1_000, true, 1_000))
        .contains(
            tuple(new Cause.OperationsInDoubt("bulk.v1.Mail/Send"), MANY / 2 - 10, false, 9_990),
            tuple(new Cause.OperationsAbandoned("bulk.v1.Mail/Send"), 300, false, 300),
            tuple(
                new Cause.IntentsRefused(IntentVerb.START_RUN, "UNKNOWN_DEFINITION"), 4, false, 4))
        .hasSize(9);
    var order = found.problems().getFirst().tally();
    assertThat(order.first()).isBefore(order.last());
  }

  @Test
  @DisplayName("given more items of a kind than are counted, then each of its causes may have more")
  void truncated() {
    assertThat(BACKLOG.problems(BULK).join().problems())
        .isNotEmpty()
        .allMatch(problem -> problem.tally().truncated());
  }

  private static Cause failed(String definition, String code) {
    return new Cause.RunsFailed(
        new Problem.AtStep(new DefinitionId(SHOP, definition, "1"), 2), code);
  }

  @Test
  @DisplayName("given a workspace without records, then it is not known")
  void unknown() {
    var found = BACKLOG.problems(new Workspace("shpo")).join();
    assertThat(found.isKnown()).isFalse();
    assertThat(found.problems()).isEmpty();
  }

  @Test
  @DisplayName("abandoned operations are counted by workspace")
  void abandoned() {
    assertThat(BACKLOG.backlog().join().abandoned()).containsExactly(new WorkspaceCount(SHOP, 300));
  }

  @Test
  @DisplayName("servers are listed by their start, and those that ended within a day too")
  void servers() {
    var found = BACKLOG.servers().join();
    assertThat(found.servers())
        .extracting(Server::version, Server::isRunning, Server::cells, Server::facts)
        .containsExactly(
            tuple(
                "1.0.0",
                true,
                List.of("eu"),
                Optional.of(new NodeFacts(0, Optional.empty(), Duration.ZERO, List.of()))),
            tuple("1.1.0", false, List.of(), Optional.empty()));
    assertThat(found.intents()).isZero();
  }

  private static List<StuckCounts> stuck(AllowedNames names, String after, int most) {
    return BACKLOG.stuck(names, after, most).join().workspaces();
  }

  @Test
  @DisplayName("the workspaces are counted with one read, page by page")
  void workspaces() {
    var bulk = new StuckCounts(BULK, 0, 1_000, 0, 0, 0);
    var empty = new StuckCounts(new Workspace("empty"), 0, 0, 0, 0, 0);
    var shop = new StuckCounts(SHOP, 1_000, 1_000, 0, 300, 0);
    var all = new AllowedNames.All();
    assertThat(stuck(all, "", 500)).containsExactly(bulk, empty, shop);
    assertThat(stuck(all, "", 2)).containsExactly(bulk, empty);
    assertThat(stuck(all, "empty", 2)).containsExactly(shop);
    assertThat(stuck(all, "shop", 2)).isEmpty();
    var listed = new AllowedNames.Listed(Set.of("shop", "empty", "unused"));
    assertThat(stuck(listed, "", 2)).containsExactly(empty, shop);
    assertThat(stuck(listed, "shop", 2))
        .containsExactly(new StuckCounts(new Workspace("unused"), 0, 0, 0, 0, 0));
  }

  @Test
  @DisplayName("a workspace that moves has the cell to which it moves")
  void moves() {
    assertThat(new PostgresPlacements(new WideReads(READS), UUID.randomUUID()).moves().join())
        .extracting(WorkspaceMove::workspace, WorkspaceMove::target)
        .containsExactly(tuple(new Workspace("empty"), new CellName("us")));
  }
}
