package dev.hapax.bootstrap.server;

import dev.hapax.application.cell.CellMap;
import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.operation.OperationSweep;
import dev.hapax.bootstrap.config.CellTarget;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.postgres.cell.CellIdentity;
import java.io.IOException;
import java.sql.SQLException;
import java.util.function.Consumer;

/**
 * Opens the cells beside the first one. It does not migrate them: that is the work of {@code hapax
 * migrate}, and a wrong URL must not change a database.
 *
 * @param first the identity of the first cell
 * @param opened observes each cell from before its work begins
 */
record CellOpening(
    ServerConfig config,
    CellIdentity first,
    CellModules modules,
    CellMap map,
    StartupFiles files,
    HapaxServer server,
    Consumer<OpenCell> opened)
    implements CellSlot.Opening {

  @Override
  public OpenCell open(CellTarget target) throws IOException, SQLException, ConfigurationException {
    var check = new CellCheck(config, first);
    var address = check.address(target);
    var problem = check.problem(target, address);
    if (problem.isPresent()) {
      throw new IOException(problem.get());
    }
    var cell = OpenCell.open(target.name(), address, config, modules);
    try {
      start(cell);
      return cell;
    } catch (IOException | ConfigurationException | RuntimeException e) {
      cell.close();
      throw e;
    }
  }

  private void start(OpenCell cell) throws IOException, ConfigurationException {
    var injector = cell.injector();
    cell.store().onMoved(map::refresh);
    opened.accept(cell);
    files.load(injector, workspace -> map.of(workspace).equals(cell.name()));
    var janitors = injector.getInstance(Janitors.class);
    cell.start(
        new HealthMonitor(
            "cell " + cell.name() + ": ",
            cell.store(),
            _ -> {}, // the server serves other cells
            injector.getInstance(OperationSweep.class),
            new JanitorHealth(janitors::watched, server)));
  }
}
