package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.config.CellTarget;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.database.DatabaseChecks;
import dev.hapax.bootstrap.database.DatabaseFinding.Level;
import dev.hapax.bootstrap.database.DatabaseSetup;
import dev.hapax.postgres.cell.CellIdentity;
import dev.hapax.postgres.cell.CitusSchema;
import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SchemaState;
import java.sql.SQLException;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Checks that a database may be used as a cell.
 *
 * @param first the identity of the first cell
 */
public record CellCheck(ServerConfig config, CellIdentity first) {

  /**
   * Returns why a database must not be used as this cell, if so, and what to do.
   *
   * @throws SQLException if it cannot be reached
   */
  public Optional<String> problem(CellTarget cell) throws SQLException {
    return problem(cell, address(cell));
  }

  /** Returns why the database at this {@link #address} must not be used as this cell. */
  public Optional<String> problem(CellTarget cell, JdbcTarget address) throws SQLException {
    var source = PostgresTarget.source(address, config.ledger());
    var schema = schema(source);
    if (schema instanceof SchemaState.Behind(var version, _) && version == 0) {
      return Optional.of("it is no cell yet; run `hapax cell add %s`".formatted(cell.name()));
    }
    try (var connection = source.getConnection()) {
      var problem =
          CellIdentity.read(connection)
              .problem(cell.name(), first)
              .or(
                  () ->
                      SchemaVersion.problem(schema)
                          .map("its schema %s on the database of this cell"::formatted));
      if (problem.isPresent()) {
        return problem;
      }
      var findings =
          DatabaseChecks.of(connection, address, config.ledger(), config.cells().allowUnsafe());
      return Stream.concat(findings.stream(), DatabaseSetup.of(source, cell.isCitus()).stream())
          .filter(finding -> finding.level() == Level.FAIL)
          .map(finding -> finding.subject() + ": " + finding.text())
          .findFirst();
    }
  }

  /** Applies the missing migrations of a cell, and gives the tables to a node of Citus. */
  public void migrate(CellTarget cell) throws SQLException {
    var database = PostgresTarget.source(cell.target(), config.ledger());
    Migrations.migrateAndGrant(database);
    if (cell.isCitus()) {
      new CitusSchema(database).distribute();
    }
  }

  /** The schema of a cell. */
  public SchemaState schema(CellTarget cell) throws SQLException {
    return schema(source(cell));
  }

  /** Opens single connections to a cell. */
  public DataSource source(CellTarget cell) throws SQLException {
    return PostgresTarget.source(address(cell), config.ledger());
  }

  /** Where the tables of a cell are: the node of a Citus cluster that has them now. */
  public JdbcTarget address(CellTarget cell) throws SQLException {
    if (!cell.isCitus()) {
      return cell.target();
    }
    var coordinator = cell.target();
    return new CitusSchema(PostgresTarget.source(coordinator, config.ledger()))
        .node()
        .map(
            node ->
                new JdbcTarget(
                    coordinator.url().at(node.host(), node.port()),
                    coordinator.user(),
                    coordinator.password()))
        .orElse(coordinator);
  }

  private static SchemaState schema(DataSource source) throws SQLException {
    try {
      return Migrations.state(source);
    } catch (MigrationException e) {
      throw e.reason();
    }
  }
}
