package dev.hapax.bootstrap.cli.cell;

import dev.hapax.bootstrap.cli.ServerSettingOptions;
import dev.hapax.bootstrap.config.CellTarget;
import dev.hapax.bootstrap.server.CellCheck;
import dev.hapax.postgres.cell.CellDirectory;
import dev.hapax.postgres.schema.MigrationException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax cell add}. */
@Command(
    name = "add",
    description = {
      "Make a database a cell: migrate it, and give it the secret and the name.",
      "Its address is that of --cell or of the file of --cells. May be repeated."
    })
final class AddCellCommand implements Callable<Integer>, ServerSettingOptions.User {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "NAME", description = "Name of the cell, such as eu.")
  private String name = "";

  private final Map<String, String> environment;

  AddCellCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var cells = InstallationCells.read(spec, environment);
    var cell = cells.require(cells.name("NAME", name));
    cells.use(
        environment,
        (directory, check) -> {
          try {
            add(cell, directory, check);
            return cell;
          } catch (MigrationException | SQLException | IOException e) {
            throw InstallationCells.failed(cell, e);
          }
        });
    spec.commandLine()
        .getOut()
        .println("cell %s is added: %s".formatted(cell.name(), cell.target()));
    return ExitCode.OK;
  }

  private static void add(CellTarget cell, CellDirectory directory, CellCheck check)
      throws SQLException, IOException {
    directory.requireFree(cell.name(), check.source(cell));
    check.migrate(cell);
    directory.add(cell.name(), check.source(cell));
  }
}
