package dev.hapax.testkit.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A separate database for one test class, dropped by {@link #close}. */
public final class TestDatabase implements AutoCloseable {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private final String name;

  /** What gives the URL of a database, for each PostgreSQL that has a part of this one. */
  private final List<UnaryOperator<String>> nodes;

  private TestDatabase(List<UnaryOperator<String>> nodes) {
    this.name =
        String.format(
            Locale.ROOT,
            "hapax_test_%d_%d",
            ProcessHandle.current().pid(),
            NUMBER.incrementAndGet());
    this.nodes = nodes;
    administer("CREATE DATABASE " + name);
  }

  /** Creates an empty database. */
  public static TestDatabase create() {
    return new TestDatabase(List.of(Shared.SERVER::url));
  }

  /**
   * Creates an empty database in a Citus cluster.
   *
   * @param coordinator the URL of any database of its coordinator that knows the nodes
   */
  public static TestDatabase inCluster(String coordinator) {
    var urls = CitusNodes.of(coordinator);
    var database = new TestDatabase(urls);
    CitusNodes.join(urls.stream().map(url -> url.apply(database.name)).toList());
    return database;
  }

  /** The address; of a cluster that of its coordinator. */
  public String url() {
    return nodes.getFirst().apply(name);
  }

  /** The address of the PostgreSQL that has the tables of a schema. */
  public String urlOf(String schema) {
    return nodes.size() == 1 ? url() : CitusNodes.urlOf(schema, url());
  }

  public DataSource dataSource() {
    var source = new PGSimpleDataSource();
    source.setURL(url());
    return source;
  }

  public Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }

  /** Executes statements on a connection of its own. */
  public void execute(String sql) {
    run(url(), sql);
  }

  /** Returns the first column of the first row as text. */
  public String query(String sql) {
    try (var connection = connect();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return String.valueOf(rows.getString(1));
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** Terminates all other connections of this database, and returns their number. */
  public int killConnections() {
    return Integer.parseInt(
        query(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND pid <> pg_backend_pid()"));
  }

  /** Sets a parameter of new sessions. */
  public void set(String parameter, String value) {
    administer("ALTER DATABASE %s SET %s = '%s'".formatted(name, parameter, value));
  }

  /** Allows or forbids new connections; existing ones stay. */
  public void allowConnections(boolean allowed) {
    administer("ALTER DATABASE %s ALLOW_CONNECTIONS %s".formatted(name, allowed));
  }

  /** Puts a copy of the database in its place, as a restored dump; all connections end. */
  public void replaceByCopy() {
    allowConnections(false);
    disconnectAll();
    administer("CREATE DATABASE %s_copy TEMPLATE %s".formatted(name, name));
    administer("DROP DATABASE %s WITH (FORCE)".formatted(name));
    administer("ALTER DATABASE %s_copy RENAME TO %s".formatted(name, name));
  }

  /** Terminates all connections, also while new ones are forbidden. */
  public void disconnectAll() {
    administer(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s'"
            .formatted(name));
  }

  @Override
  public void close() {
    administer("DROP DATABASE IF EXISTS %s WITH (FORCE)".formatted(name));
    // roles are of the whole server
    administer("DROP ROLE IF EXISTS hapax_%1$s_runtime, hapax_%1$s_maintenance".formatted(name));
  }

  private void administer(String sql) {
    nodes.forEach(url -> run(url.apply("postgres"), sql));
  }

  static void run(String url, String sql) {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  private static final class Shared {
    static final TestServer SERVER = TestServer.start();
  }
}
