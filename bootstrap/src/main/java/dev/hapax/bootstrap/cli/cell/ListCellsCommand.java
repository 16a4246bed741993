package dev.hapax.bootstrap.cli.cell;

import dev.hapax.bootstrap.cli.ServerSettingOptions;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.config.CellTarget;
import dev.hapax.bootstrap.server.CellCheck;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.postgres.cell.CellDirectory;
import dev.hapax.postgres.cell.CellDirectory.Entry;
import dev.hapax.postgres.cell.MoveJournal;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SchemaState;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax cell list}. */
@Command(name = "list", description = "List the cells, and why those are not usable that are not.")
final class ListCellsCommand implements Callable<Integer>, ServerSettingOptions.User {
  @Spec private CommandSpec spec = CommandSpec.create();
  private final Map<String, String> environment;

  ListCellsCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var cells = InstallationCells.read(spec, environment);
    var table = new Table("NAME", "STATE", "WORKSPACES", "SCHEMA", "DATABASE", "USABLE");
    List<WorkspaceMove> moves =
        cells.useFirst(
            environment,
            (_, database, check) -> {
              for (var entry : new CellDirectory(database).list()) {
                table.add(row(entry, cells.find(entry.name()), check).toArray(String[]::new));
              }
              return new MoveJournal(database).moves();
            });
    table.lines().forEach(spec.commandLine().getOut()::println);
    moves.stream().map(MoveText::of).forEach(spec.commandLine().getOut()::println);
    return ExitCode.OK;
  }

  private static List<String> row(Entry entry, Optional<CellTarget> target, CellCheck check) {
    var row =
        new ArrayList<>(
            List.of(
                entry.name().text(),
                entry.state(),
                String.format(Locale.ROOT, "%d", entry.workspaces())));
    if (entry.name().equals(CellName.DEFAULT)) {
      // the directory was read from it
      row.addAll(
          List.of(
              String.format(Locale.ROOT, "%d", Migrations.newest()), "(--database-url)", "yes"));
    } else if (target.isEmpty()) {
      row.addAll(List.of("", "", "not in --cell or --cells"));
    } else {
      row.addAll(
          List.of(
              schema(target.get(), check),
              target.get().target().toString(),
              usable(target.get(), check)));
    }
    return row;
  }

  private static String schema(CellTarget cell, CellCheck check) {
    try {
      return switch (check.schema(cell)) {
        case SchemaState.Usable(var version) -> String.format(Locale.ROOT, "%d", version);
        case SchemaState.Behind(var version, _) -> String.format(Locale.ROOT, "%d", version);
        case SchemaState.Differs _ -> "differs";
      };
    } catch (SQLException _) {
      return "";
    }
  }

  private static String usable(CellTarget cell, CellCheck check) {
    try {
      return check.problem(cell).orElse("yes");
    } catch (SQLException e) {
      return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
  }
}
