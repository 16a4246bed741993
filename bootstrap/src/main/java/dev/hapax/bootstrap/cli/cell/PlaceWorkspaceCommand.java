package dev.hapax.bootstrap.cli.cell;

import dev.hapax.bootstrap.cli.OptionValues;
import dev.hapax.bootstrap.cli.ServerSettingOptions;
import dev.hapax.bootstrap.config.CellTarget;
import dev.hapax.bootstrap.server.CellCheck;
import dev.hapax.domain.Workspace;
import dev.hapax.postgres.cell.CellDirectory;
import dev.hapax.postgres.ledger.SqlState;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax cell place}. */
@Command(
    name = "place",
    description = {
      "Place a workspace without records in a cell.",
      "Servers send its calls there within about a second."
    })
final class PlaceWorkspaceCommand implements Callable<Integer>, ServerSettingOptions.User {
  /** A batch ends within 15 s, and most of them in some milliseconds. */
  private static final int TRIES = 60;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "WORKSPACE", description = "A workspace that no call has used yet.")
  private String workspace = "";

  @Option(
      names = "--in",
      required = true,
      paramLabel = "NAME",
      description = "Name of the cell, such as eu.")
  private String name = "";

  private final Map<String, String> environment;

  PlaceWorkspaceCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var placed = OptionValues.read(spec, "WORKSPACE", () -> new Workspace(workspace));
    var cells = InstallationCells.read(spec, environment);
    var cell = cells.require(cells.name("--in", name));
    cells.use(
        environment,
        (directory, check) -> {
          requireUsable(cell, check);
          place(placed, cell, directory, check);
          return cell;
        });
    spec.commandLine()
        .getOut()
        .println("workspace %s is placed in cell %s".formatted(placed.name(), cell.name()));
    return ExitCode.OK;
  }

  private static void requireUsable(CellTarget cell, CellCheck check) throws IOException {
    try {
      var problem = check.problem(cell);
      if (problem.isPresent()) {
        throw InstallationCells.failed(cell, new IOException(problem.get()));
      }
    } catch (SQLException e) {
      throw InstallationCells.failed(cell, e);
    }
  }

  private static void place(
      Workspace workspace, CellTarget cell, CellDirectory directory, CellCheck check)
      throws SQLException, IOException {
    for (var tries = 1; ; tries++) {
      try {
        directory.place(workspace, cell.name(), check.source(cell));
        return;
      } catch (SQLException e) {
        if (SqlState.of(e) != SqlState.BLOCKED || tries == TRIES) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }
}
