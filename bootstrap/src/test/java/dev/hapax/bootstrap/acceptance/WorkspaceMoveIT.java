package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.MoveMethod;
import dev.hapax.domain.cell.MoveStep;
import dev.hapax.domain.cell.WorkspaceMove;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A workspace that moves to another cell while it is used. */
class WorkspaceMoveIT {
  /** A mover connects for each transaction. */
  private static final int APART = Integer.getInteger("hapax.killed-apart", 7);

  private static CellDatabases cells;
  private static Deployment deployment;

  @BeforeAll
  static void start() {
    cells = CellDatabases.create();
    deployment = Deployment.of(cells);
    cells.awaitReports();
  }

  @AfterAll
  static void close() {
    deployment.close();
  }

  private static void requireIn(CellName cell, MovingWorkspace moving) throws Exception {
    assertThat(cells.directory().cellOf(new Workspace(moving.name()))).isEqualTo(cell);
    assertThat(cells.moves()).isEmpty();
    var isSecond = cell.equals(CellDatabases.SECOND);
    assertThat(CellDatabases.rows(isSecond ? cells.first() : cells.second(), moving.name()))
        .isZero();
    assertThat(CellDatabases.rows(isSecond ? cells.second() : cells.first(), moving.name()))
        .isGreaterThan(moving.completed());
    assertThat(cells.first().query("SELECT count(*) FROM pg_replication_slots")).isEqualTo("0");
  }

  @ParameterizedTest
  @EnumSource(MoveMethod.class)
  @DisplayName(
      "given a workspace in use, when it moves there and back, then nothing is lost or done twice,"
          + " and others do not wait [S4]")
  void move(MoveMethod method) throws Exception {
    try (var moving = new MovingWorkspace(deployment.target());
        var staying = new MovingWorkspace(deployment.target())) {
      moving.use();
      staying.use();
      var ended = moving.awaitReady();
      var done = new ArrayList<String>();
      cells.mover(CellDatabases.move(moving.name(), method), done::add).run();
      requireIn(CellDatabases.SECOND, moving);
      assertThat(done).last().asString().startsWith("removed ");

      var count = moving.completed();
      Condition.await("it is used in the second cell", () -> moving.completed() > count + 10);
      assertThat(ended).isNotDone();
      cells
          .mover(
              new WorkspaceMove(
                  new Workspace(moving.name()),
                  CellDatabases.SECOND,
                  CellName.DEFAULT,
                  method,
                  MoveStep.COPYING),
              done::add)
          .run();
      requireIn(CellName.DEFAULT, moving);
      moving.requireWhole();
      // its wait moved twice
      assertThat(ended.get(10, TimeUnit.SECONDS).getId()).isNotEmpty();
      staying.requireWhole();
      assertThat(moving.longest()).isLessThan(Duration.ofSeconds(30));
    }
    assertThat(deployment.complaints()).isEmpty();
  }

  @ParameterizedTest
  @Tag("long")
  @EnumSource(MoveMethod.class)
  @DisplayName("given a mover that is killed anywhere, then the next one ends the move [S4]")
  void killed(MoveMethod method) throws Exception {
    for (var connections = 1; ; connections += APART) {
      try (var moving = new MovingWorkspace(deployment.target())) {
        moving.use();
        var isKilled = isKilled(moving, method, connections);
        if (isKilled) {
          cells.mover(CellDatabases.move(moving.name(), method), _ -> {}).run();
        }
        requireIn(CellDatabases.SECOND, moving);
        moving.requireWhole();
        if (!isKilled) {
          assertThat(connections).isGreaterThan(10);
          return;
        }
      }
    }
  }

  @ParameterizedTest
  @Tag("long")
  @EnumSource(MoveMethod.class)
  @DisplayName(
      "given a mover that is killed anywhere, then the move can be cancelled until the target"
          + " serves the workspace")
  void cancelled(MoveMethod method) throws Exception {
    for (var connections = 4; ; connections += APART) {
      try (var moving = new MovingWorkspace(deployment.target())) {
        moving.use();
        assertThat(isKilled(moving, method, connections)).isTrue();
        var mover = cells.mover(CellDatabases.move(moving.name(), method), _ -> {});
        var begun = cells.moves();
        if (!begun.isEmpty() && !begun.getFirst().step().isCancellable()) {
          assertThatThrownBy(mover::cancel).hasMessageContaining("serves workspace");
          mover.run();
          requireIn(CellDatabases.SECOND, moving);
          return;
        }
        if (!begun.isEmpty()) {
          mover.cancel();
        }
        requireIn(CellName.DEFAULT, moving);
        moving.requireWhole();
      }
    }
  }

  /** Moves until a mover connects for this time, if it does so often. */
  private static boolean isKilled(MovingWorkspace moving, MoveMethod method, int connection)
      throws Exception {
    try {
      cells
          .mover(CellDatabases.move(moving.name(), method), _ -> {}, KilledMover.at(connection))
          .run();
      return false;
    } catch (KilledMover _) {
      return true;
    }
  }
}
