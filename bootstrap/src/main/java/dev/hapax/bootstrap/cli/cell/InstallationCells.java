package dev.hapax.bootstrap.cli.cell;

import dev.hapax.bootstrap.cli.OptionValues;
import dev.hapax.bootstrap.cli.SchemaDatabase;
import dev.hapax.bootstrap.cli.ServerSettingOptions;
import dev.hapax.bootstrap.config.CellTarget;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.database.DatabaseProblem;
import dev.hapax.bootstrap.server.CellCheck;
import dev.hapax.domain.cell.CellName;
import dev.hapax.postgres.cell.CellDirectory;
import dev.hapax.postgres.cell.CellIdentity;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import picocli.CommandLine.Model.CommandSpec;

/** The cells of an installation, as commands use them. */
record InstallationCells(CommandSpec spec, ServerConfig config, List<CellTarget> targets) {

  static InstallationCells read(CommandSpec spec, Map<String, String> environment)
      throws Exception {
    var config = ServerSettingOptions.read(spec.commandLine().getParseResult(), environment);
    return new InstallationCells(spec, config, config.cells().current());
  }

  CellName name(String parameter, String text) {
    return OptionValues.read(spec, parameter, () -> new CellName(text));
  }

  /** The cell with an address in the settings. */
  Optional<CellTarget> find(CellName name) {
    return targets.stream().filter(each -> each.name().equals(name)).findFirst();
  }

  CellTarget require(CellName name) throws IOException {
    return find(name)
        .orElseThrow(
            () ->
                new IOException(
                    "cell %1$s has no address: set --cell %1$s=JDBC_URL, or add it to the file of --cells"
                        .formatted(name)));
  }

  /** Work on the directory. */
  interface Work<T> {
    T on(CellDirectory directory, CellCheck check) throws SQLException, IOException;
  }

  /** Work on the first cell. */
  interface FirstCellWork<T> {
    T on(JdbcTarget first, DataSource database, CellCheck check) throws SQLException, IOException;
  }

  <T> T use(Map<String, String> environment, Work<T> work) throws Exception {
    return useFirst(environment, (_, first, check) -> work.on(new CellDirectory(first), check));
  }

  <T> T useFirst(Map<String, String> environment, FirstCellWork<T> work) throws Exception {
    return new SchemaDatabase(spec, environment)
        .useAddressed(
            (target, first) -> {
              try (var connection = first.getConnection()) {
                var check = new CellCheck(config, CellIdentity.read(connection));
                return work.on(target, first, check);
              }
            });
  }

  /**
   * The address of a cell that can be used.
   *
   * @param first that of the first cell, which was used
   * @throws IOException if it has none, or cannot be used; says why
   */
  JdbcTarget usable(CellName name, JdbcTarget first, CellCheck check) throws IOException {
    if (name.equals(CellName.DEFAULT)) {
      return first;
    }
    var cell = require(name);
    try {
      var address = check.address(cell);
      var problem = check.problem(cell, address);
      if (problem.isPresent()) {
        throw failed(cell, new IOException(problem.get()));
      }
      return address;
    } catch (SQLException e) {
      throw failed(cell, e);
    }
  }

  /** The error of a cell, with its name and address. */
  static IOException failed(CellTarget cell, Exception e) {
    return new IOException(
        "cell %s: %s".formatted(cell.name(), DatabaseProblem.of(cell.target(), e)), e);
  }
}
