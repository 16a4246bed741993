package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.MoveMethod;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers and databases that fail while a workspace moves. */
@Tag("fault")
class WorkspaceMoveFaultsIT {
  private static final int PATIENCE_SECONDS = 120;
  private final CellDatabases cells = CellDatabases.create();
  private final Deployment deployment = Deployment.of(cells);

  @BeforeEach
  void awaitReport() {
    cells.awaitReports();
  }

  @AfterEach
  void close() {
    deployment.close();
  }

  private CompletableFuture<Void> move(
      MovingWorkspace moving, MoveMethod method, Consumer<String> done) {
    return CompletableFuture.runAsync(
        () -> cells.run(CellDatabases.move(moving.name(), method), done),
        Thread::startVirtualThread);
  }

  private CellName cellOf(MovingWorkspace moving) throws Exception {
    return cells.directory().cellOf(new Workspace(moving.name()));
  }

  @Test
  @DisplayName(
      "given a server that is stopped inside a transaction, when its workspace moves, then it"
          + " writes nothing after it continues [S3]")
  void stoppedServer() throws Exception {
    var stale = deployment.add();
    try (var moving = new MovingWorkspace(stale.awaitReady())) {
      cells.awaitReports();
      moving.use();
      // until the stop hits a transaction that has read the fence
      Condition.await(
          "it is stopped inside a transaction",
          () -> {
            stale.stop();
            if (openTransactions() > 0) {
              return true;
            }
            stale.cont();
            return false;
          });
      var switched = new CountDownLatch(1);
      var move =
          move(
              moving,
              MoveMethod.COPY,
              text -> {
                if (text.startsWith("cell second serves")) {
                  switched.countDown();
                }
              });
      assertThat(switched.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      stale.cont();
      move.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(cellOf(moving)).isEqualTo(CellDatabases.SECOND);
      assertThat(CellDatabases.rows(cells.first(), moving.name())).isZero();
      var count = moving.completed();
      Condition.await("it is used in the second cell", () -> moving.completed() > count + 10);
      moving.requireWhole();
      assertThat(CellDatabases.rows(cells.first(), moving.name())).isZero();
    }
  }

  private int openTransactions() {
    return Integer.parseInt(
        cells
            .first()
            .query(
                "SELECT count(*) FROM pg_stat_activity a JOIN pg_locks l USING (pid) WHERE a.state ="
                    + " 'idle in transaction' AND a.application_name = 'hapax' AND l.relation ="
                    + " 'hapax.moved'::regclass"));
  }

  @ParameterizedTest
  @EnumSource(MoveMethod.class)
  @DisplayName(
      "given intents that no server has taken, when the workspace moves, then they are taken once,"
          + " and sessions of SQL cannot post to the old cell")
  void intents(MoveMethod method) throws Exception {
    try (var runs = RunCaller.to(deployment.target());
        var sql = SqlCaller.to(cells.first(), runs);
        var early = sql.begin()) {
      runs.define("sleep", RunCaller.timer("wait", Caller.seconds(1)));
      early.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      try (var snapshot = early.createStatement()) {
        var _ = snapshot.execute("SELECT 1");
      }
      deployment.server().stop();
      var tickets = new ArrayList<String>();
      for (var i = 0; i < 20; i++) {
        tickets.add(sql.post("start_run", "'sleep'"));
      }
      var move =
          CompletableFuture.runAsync(
              () ->
                  cells.run(
                      CellDatabases.move(runs.workspace(), method),
                      text -> {
                        if (text.startsWith("cell second serves")) {
                          deployment.server().cont();
                        }
                      }),
              Thread::startVirtualThread);
      move.get(PATIENCE_SECONDS, TimeUnit.SECONDS);

      for (var ticket : tickets) {
        assertThat(sql.await(ticket).hasTakenAt()).isTrue();
      }
      assertThat(runs.list()).hasSize(tickets.size());
      assertThatThrownBy(() -> sql.post("start_run", "'sleep'"))
          .hasMessageContaining("is in another cell");
      // its snapshot does not show that the workspace has moved
      assertThatThrownBy(() -> sql.post(early, "start_run", "'sleep'"))
          .hasMessageContaining("could not serialize access");
      early.rollback();
      try (var there =
          DriverManager.getConnection(
              sql.url().replaceFirst("/[^/?]+\\?", "/" + secondName() + "?"))) {
        var ticket = sql.post(there, "start_run", "'sleep'");
        assertThat(sql.await(ticket).hasTakenAt()).isTrue();
      }
      cells.second().execute("DROP OWNED BY " + sql.role());
    }
  }

  private String secondName() {
    return cells.second().query("SELECT current_database()");
  }

  @Test
  @DisplayName("given a target that is slow, then the move waits until it has the last rows")
  void slowTarget() throws Exception {
    try (var moving = new MovingWorkspace(deployment.target());
        var lock = cells.second().connect();
        var statement = lock.createStatement()) {
      moving.use();
      lock.setAutoCommit(false);
      cells
          .mover(
              CellDatabases.move(moving.name(), MoveMethod.REPLICATION),
              text -> {
                try {
                  if (text.startsWith("copied")) {
                    statement.execute("LOCK TABLE hapax.operation_result IN EXCLUSIVE MODE");
                    var count = moving.completed();
                    Condition.await("rows wait", () -> moving.completed() > count + 10);
                  } else if (text.contains("are paused")) {
                    var _ =
                        CompletableFuture.runAsync(
                            () -> commit(lock),
                            CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS));
                  }
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              })
          .run();
      assertThat(cellOf(moving)).isEqualTo(CellDatabases.SECOND);
      moving.requireWhole();
    }
  }

  @ParameterizedTest
  @EnumSource(MoveMethod.class)
  @DisplayName(
      "given a target that cannot store the rows, then the move says so, the source goes on to"
          + " serve, and a later run ends the move")
  void fullTarget(MoveMethod method) throws Exception {
    try (var moving = new MovingWorkspace(deployment.target())) {
      moving.use();
      cells
          .second()
          .execute(
              """
              CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'no space left on device'; END $$;
              CREATE TRIGGER refuse BEFORE INSERT ON hapax.run_event FOR EACH ROW EXECUTE FUNCTION public.refuse();
              ALTER TABLE hapax.run_event ENABLE ALWAYS TRIGGER refuse""");
      assertThatThrownBy(
              () -> cells.mover(CellDatabases.move(moving.name(), method), _ -> {}).run())
          .hasMessageContaining(
              switch (method) {
                case REPLICATION -> "the target cannot store what it receives";
                case COPY -> "no space left on device";
              });
      assertThat(cellOf(moving)).isEqualTo(CellName.DEFAULT);
      var count = moving.completed();
      Condition.await("the source goes on to serve", () -> moving.completed() > count + 10);

      cells.second().execute("DROP TRIGGER refuse ON hapax.run_event");
      cells.mover(CellDatabases.move(moving.name(), method), _ -> {}).run();
      assertThat(cellOf(moving)).isEqualTo(CellDatabases.SECOND);
      moving.requireWhole();
    }
  }

  @ParameterizedTest
  @EnumSource(MoveMethod.class)
  @DisplayName(
      "given sessions of both databases that are ended again and again, then a move that is"
          + " repeated ends, and nothing is lost or done twice")
  void endedSessions(MoveMethod method) throws Exception {
    try (var moving = new MovingWorkspace(deployment.target())) {
      moving.use();
      for (var tries = 1; cellOf(moving).equals(CellName.DEFAULT) || isUnderWay(); tries++) {
        var move = move(moving, method, _ -> {});
        // the last try is left alone
        for (var kills = 0; kills < 4 && tries < 6 && !move.isDone(); kills++) {
          var _ = cells.first().killConnections();
          var _ = cells.second().killConnections();
          TimeUnit.MILLISECONDS.sleep(100L * tries);
        }
        var _ = move.handle((_, _) -> true).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(tries).isLessThan(8);
      }
      moving.requireWhole();
      assertThat(CellDatabases.rows(cells.first(), moving.name())).isZero();
    }
  }

  private static void commit(Connection connection) {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean isUnderWay() throws Exception {
    return !cells.moves().isEmpty();
  }
}
