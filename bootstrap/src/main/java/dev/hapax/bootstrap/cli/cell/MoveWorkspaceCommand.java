package dev.hapax.bootstrap.cli.cell;

import dev.hapax.bootstrap.cli.OptionValues;
import dev.hapax.bootstrap.cli.ServerSettingOptions;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.server.CellCheck;
import dev.hapax.bootstrap.server.PostgresTarget;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.MoveMethod;
import dev.hapax.domain.cell.MoveStep;
import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.postgres.cell.CellDirectory;
import dev.hapax.postgres.cell.Conninfo;
import dev.hapax.postgres.cell.MoveJournal;
import dev.hapax.postgres.cell.WorkspaceMover;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax cell move}. */
@Command(
    name = "move",
    description = {
      "Move a workspace with its records to another cell, while it is used.",
      "Its writes pause for some seconds at the end. A move that was interrupted goes on when the"
          + " command runs again."
    })
final class MoveWorkspaceCommand implements Callable<Integer>, ServerSettingOptions.User {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "WORKSPACE", description = "A workspace; it may be new.")
  private String workspace = "";

  @Option(
      names = "--to",
      required = true,
      paramLabel = "NAME",
      description = "Name of the cell, such as eu, or default.")
  private String name = "";

  @Option(
      names = "--by",
      paramLabel = "replication|copy",
      description = {
        "Copy the rows by logical replication while the workspace is written (PostgreSQL 15 and"
            + " later), or with COPY while its writes are paused.",
        "Default: replication; copy for a workspace without records."
      })
  private Optional<MoveMethod> method = Optional.empty();

  @Option(
      names = "--source-conninfo",
      paramLabel = "CONNINFO",
      description =
          "How the PostgreSQL of the target reaches that of the source, such as 'host=db dbname=hapax"
              + " user=hapax'. Default: as this machine does.")
  private Optional<String> conninfo = Optional.empty();

  @Option(
      names = "--cancel",
      description = "Undo a move that has begun: the workspace stays where it is.")
  private boolean isCancelled;

  private final Map<String, String> environment;

  MoveWorkspaceCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var moved = OptionValues.read(spec, "WORKSPACE", () -> new Workspace(workspace));
    var cells = InstallationCells.read(spec, environment);
    var to = cells.name("--to", name);
    return cells.useFirst(
        environment, (first, database, check) -> move(moved, to, cells, first, database, check));
  }

  private int move(
      Workspace moved,
      CellName to,
      InstallationCells cells,
      JdbcTarget first,
      DataSource database,
      CellCheck check)
      throws SQLException, IOException {
    var begun =
        new MoveJournal(database)
            .moves().stream().filter(each -> each.workspace().equals(moved)).findFirst();
    if (begun.isPresent() && !begun.get().target().equals(to)) {
      throw new IOException(
          "workspace %s is being moved to cell %2$s; go on with --to %2$s, or cancel that with --to %2$s --cancel"
              .formatted(moved.name(), begun.get().target()));
    }
    var from = begun.isPresent() ? begun.get().source() : new CellDirectory(database).cellOf(moved);
    if (from.equals(to)) {
      spec.commandLine()
          .getOut()
          .println("workspace %s is in cell %s already".formatted(moved.name(), to));
      return ExitCode.OK;
    }
    var sourceTarget = cells.usable(from, first, check);
    var source = PostgresTarget.source(sourceTarget, cells.config().ledger());
    var target = PostgresTarget.source(cells.usable(to, first, check), cells.config().ledger());
    var progress = new MoveProgress(spec.commandLine().getOut(), spec.commandLine().getErr());
    var mover =
        new WorkspaceMover(
            database,
            begun.isPresent() ? begun.get() : planned(moved, from, to, source, target),
            source,
            target,
            conninfo.isPresent()
                ? conninfo.get()
                : Conninfo.of(
                    sourceTarget.url().value(), sourceTarget.user(), sourceTarget.password()),
            progress);
    try {
      if (isCancelled) {
        mover.cancel();
      } else {
        mover.run();
      }
    } catch (SQLException | IOException | RuntimeException e) {
      progress.failed();
      throw e;
    }
    return ExitCode.OK;
  }

  private WorkspaceMove planned(
      Workspace moved, CellName from, CellName to, DataSource source, DataSource target)
      throws SQLException, IOException {
    var by = method.isPresent() ? method.get() : WorkspaceMover.method(moved, source, target);
    return new WorkspaceMove(moved, from, to, by, MoveStep.COPYING);
  }
}
