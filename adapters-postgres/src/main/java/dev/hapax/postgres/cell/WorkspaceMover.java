package dev.hapax.postgres.cell;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.MoveMethod;
import dev.hapax.domain.cell.MoveStep;
import dev.hapax.domain.cell.WorkspaceMove;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Moves a workspace to another cell. Each step is stored before it begins, and may be repeated: a
 * mover that is killed leaves a move that the next one goes on with, or cancels.
 */
public final class WorkspaceMover {
  /** A server reads the map each second, or stops to count 60 s after its last registration. */
  private static final Duration PATIENCE = Duration.ofSeconds(75);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final CellDirectory directory;
  private final MoveJournal journal;
  private final WorkspaceRows source;
  private final WorkspaceRows target;
  private final WorkspaceFence sourceFence;
  private final WorkspaceFence targetFence;
  private final Replication replication;
  private final Report report;
  private final UUID id = UUID.randomUUID();
  private WorkspaceMove move;
  private long pausedNanos;

  /** Receives what happens. */
  public interface Report {
    /** A step has ended. */
    void done(String text);

    /** How far the step is that has begun. */
    void progress(String text);
  }

  /**
   * Makes a mover.
   *
   * @param move a new one, or one that has begun
   * @param first the database of the first cell, which has the directory
   * @param source the database of the source, as the owner of its tables
   * @param target that of the target
   * @param conninfo how the target reaches the source, in the form of libpq
   */
  public WorkspaceMover(
      DataSource first,
      WorkspaceMove move,
      DataSource source,
      DataSource target,
      String conninfo,
      Report report) {
    this.directory = new CellDirectory(first);
    this.journal = new MoveJournal(first);
    this.move = move;
    this.source = new WorkspaceRows(move.workspace(), source);
    this.target = new WorkspaceRows(move.workspace(), target);
    this.sourceFence = new WorkspaceFence(move.workspace(), source);
    this.targetFence = new WorkspaceFence(move.workspace(), target);
    this.replication = new Replication(this.source, this.target, conninfo);
    this.report = report;
  }

  /**
   * Chooses how a workspace can move.
   *
   * @throws IOException if only with COPY, and the workspace has records; says what to do
   */
  public static MoveMethod method(Workspace workspace, DataSource source, DataSource target)
      throws SQLException, IOException {
    var rows = new WorkspaceRows(workspace, source);
    if (rows.find().isEmpty()) {
      return MoveMethod.COPY;
    }
    var problems = Replication.problems(source, target);
    if (!problems.isEmpty()) {
      throw new IOException(
          "%s; or use --by copy, which stops the writes of workspace %s while it copies %s rows"
              .formatted(String.join("; ", problems), workspace.name(), rows.count()));
    }
    return MoveMethod.REPLICATION;
  }

  /**
   * Carries out a new move, or the steps that are left of one.
   *
   * @throws IOException also if the target has records of the workspace, or servers cannot use it
   */
  public void run() throws SQLException, IOException {
    try (var _ = journal.lock(move.workspace())) {
      var begun = journal.takeOver(move, id);
      if (begun.isPresent()) {
        move = move.at(begun.get());
        report.done("going on with the move that began before");
      } else {
        begin();
      }
      carryOut();
    }
  }

  private void carryOut() throws SQLException, IOException {
    for (; ; ) {
      switch (move.step()) {
        case COPYING -> copy();
        case PAUSING -> pause();
        case COMPLETE -> makeReady();
        case SWITCHED -> {
          finish();
          return;
        }
      }
    }
  }

  private void begin() throws SQLException, IOException {
    var problems = directory.problemsOfServers(move.target());
    if (!problems.isEmpty()) {
      throw new IOException(String.join("\n", problems));
    }
    if (move.method() == MoveMethod.REPLICATION) {
      replication.requirePossible();
    }
    var found = target.find();
    if (found.isPresent()) {
      throw new IOException(
          "cell %s has records of a workspace %s already (table %s); nothing was changed"
              .formatted(move.target(), move.workspace().name(), found.get()));
    }
    journal.begin(move, id);
  }

  private void advance(MoveStep step) throws SQLException, IOException {
    move = move.at(step);
    journal.advance(move, id);
  }

  private void copy() throws SQLException, IOException {
    // a server that has an old map, or a session of SQL, must not write what is incomplete
    targetFence.raise();
    switch (move.method()) {
      case REPLICATION -> {
        replication.run(report::progress);
        report.done("copied while the writes went on");
      }
      case COPY -> {}
    }
    advance(MoveStep.PAUSING);
  }

  private void pause() throws SQLException, IOException {
    pausedNanos = System.nanoTime();
    try {
      sourceFence.raise();
      report.done("the writes of workspace %s are paused".formatted(move.workspace().name()));
      switch (move.method()) {
        case REPLICATION -> replication.drain();
        case COPY -> {
          var _ = target.purge(_ -> {});
          var _ = new RowCopy(source, target).run(rows -> report.progress(rows + " rows"));
        }
      }
      var rows = compare();
      report.done("%s rows are copied, and equal".formatted(rows));
    } catch (SQLException | IOException | RuntimeException e) {
      resume(e);
      throw e;
    }
    advance(MoveStep.COMPLETE);
  }

  /** Compares both cells; returns the number of rows. */
  private long compare() throws SQLException, IOException {
    var wanted = source.sums();
    var found = target.sums();
    if (!wanted.equals(found)) {
      throw new IOException(
          "the rows of cell %s differ: %s in the source, %s in the target"
              .formatted(move.target(), without(wanted, found), without(found, wanted)));
    }
    return WorkspaceRows.count(wanted);
  }

  private static String without(List<WorkspaceRows.Sum> sums, List<WorkspaceRows.Sum> others) {
    return sums.stream()
        .filter(each -> !others.contains(each))
        .map(WorkspaceRows.Sum::toString)
        .collect(Collectors.joining(", "));
  }

  /** After a failure the workspace is served again, where it was. */
  private void resume(Exception failure) {
    try {
      // first, since it fails if another mover has taken over
      advance(MoveStep.COPYING);
      sourceFence.lower();
      report.done(
          "the writes of workspace %s go on in cell %s"
              .formatted(move.workspace().name(), move.source()));
    } catch (SQLException | IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  private void makeReady() throws SQLException, IOException {
    // not earlier: a mover that goes on with the step before needs it
    replication.drop();
    var missing = new ReceivedRows(target).adopt(source.database());
    if (!missing.isEmpty()) {
      report.done(
          "cell %s has no role %s: create it, and repeat `hapax sql grant` there"
              .formatted(move.target(), String.join(", ", missing)));
    }
    advance(MoveStep.SWITCHED);
  }

  private void finish() throws SQLException, IOException {
    targetFence.lower();
    report.done(
        "cell %s serves workspace %s%s"
            .formatted(move.target(), move.workspace().name(), pauseText(pausedNanos)));
    awaitServers();
    var removed = source.purgeRecords(rows -> report.progress(rows + " rows removed"));
    report.done("removed %s rows from cell %s".formatted(removed, move.source()));
    journal.end(move);
  }

  private static String pauseText(long since) {
    return since == 0
        ? ""
        : "; its writes were paused for %s ms"
            .formatted(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since));
  }

  /** A server with the old map would find nothing in the source. */
  private void awaitServers() throws SQLException, IOException {
    var start = System.nanoTime();
    for (var left = directory.laggards(); !left.isEmpty(); left = directory.laggards()) {
      report.progress("%s servers have the old map".formatted(left.size()));
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw new IOException(
            "server %s has not read the new map; stop it, and run the command again to remove the old rows"
                .formatted(left.getFirst()));
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /**
   * Undoes the move, so that the source serves the workspace as before.
   *
   * @throws IOException if the target serves it already
   */
  public void cancel() throws SQLException, IOException {
    try (var _ = journal.lock(move.workspace())) {
      move =
          move.at(
              journal
                  .takeOver(move, id)
                  .orElseThrow(
                      () ->
                          new IOException(
                              "workspace %s is not being moved"
                                  .formatted(move.workspace().name()))));
      undo();
    }
  }

  private void undo() throws SQLException, IOException {
    if (!move.step().isCancellable()) {
      throw new IOException(
          "cell %s serves workspace %s already; run the command without --cancel to end the move, then move it back"
              .formatted(move.target(), move.workspace().name()));
    }
    replication.drop();
    sourceFence.lower();
    var removed = target.purge(rows -> report.progress(rows + " rows removed"));
    new ReceivedRows(target).forget();
    targetFence.lower();
    report.done(
        "the move is cancelled: cell %s serves workspace %s, and %s rows are removed from cell %s"
            .formatted(move.source(), move.workspace().name(), removed, move.target()));
    journal.end(move);
  }
}
