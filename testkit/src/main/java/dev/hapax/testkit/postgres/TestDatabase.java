package dev.hapax.testkit.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A separate database for one test class, dropped by {@link #close}. */
public final class TestDatabase implements AutoCloseable {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private final String name;

  private TestDatabase(String name) {
    this.name = name;
  }

  /** Creates an empty database. */
  public static TestDatabase create() {
    var name =
        String.format(
            Locale.ROOT,
            "hapax_test_%d_%d",
            ProcessHandle.current().pid(),
            NUMBER.incrementAndGet());
    administer("CREATE DATABASE " + name);
    return new TestDatabase(name);
  }

  public String url() {
    return Shared.SERVER.url(name);
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

  private static void administer(String sql) {
    run(Shared.SERVER.url("postgres"), sql);
  }

  private static void run(String url, String sql) {
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
