package dev.hapax.bootstrap.embedded;

import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.database.Connections;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A PostgreSQL on the loopback address, with exclusive access to its data folder. */
public final class EmbeddedDatabase implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedDatabase.class);
  private static final String DATABASE = "hapax";
  private static final String MAINTENANCE_DATABASE = "postgres";

  private final DataDirectory directory;
  private final Supervisor supervisor;
  private final JdbcTarget target;

  private EmbeddedDatabase(DataDirectory directory, Supervisor supervisor, JdbcTarget target) {
    this.directory = directory;
    this.supervisor = supervisor;
    this.target = target;
  }

  /**
   * Starts PostgreSQL, creates the database if missing, and returns when it accepts connections.
   */
  public static EmbeddedDatabase start(Path dataDir) throws IOException {
    // without PostgreSQL the folder is not the problem
    PostgresBinaries.require();
    var directory = DataDirectory.claim(dataDir);
    try {
      return start(directory);
    } catch (IOException | RuntimeException e) {
      directory.close();
      throw e;
    }
  }

  private static EmbeddedDatabase start(DataDirectory directory) throws IOException {
    long began = System.nanoTime();
    var programs = PostgresPrograms.forData(directory.path());
    var cluster = Cluster.in(directory, programs);
    var supervisor = Supervisor.start(new Postmaster(cluster, programs));
    try {
      createDatabase(cluster.target(supervisor.port(), MAINTENANCE_DATABASE));
    } catch (SQLException e) {
      supervisor.close();
      throw new IOException("cannot create the database " + DATABASE + ": " + e.getMessage(), e);
    }
    LOG.info(
        "PostgreSQL serves {} on port {} (started in {} ms)",
        cluster.folder(),
        supervisor.port(),
        Duration.ofNanos(System.nanoTime() - began).toMillis());
    return new EmbeddedDatabase(directory, supervisor, cluster.target(supervisor.port(), DATABASE));
  }

  /** Returns why there is no built-in PostgreSQL, as in the package; empty = there is one. */
  public static Optional<String> missing() {
    return PostgresBinaries.missing();
  }

  /** Whether the data folder has a database. */
  public static boolean exists(Path dataDir) {
    return Files.exists(dataDir.resolve(Cluster.FOLDER));
  }

  /** Returns the connection to the PostgreSQL that another hapax runs in this folder, if any. */
  public static Optional<JdbcTarget> running(Path dataDir) throws IOException {
    if (!DataDirectory.isInUse(dataDir)) {
      return Optional.empty();
    }
    var cluster = new Cluster(dataDir.resolve(Cluster.FOLDER));
    var file = PostmasterFile.read(cluster.folder());
    return file.isEmpty()
        ? Optional.empty()
        : Optional.of(cluster.target(file.get().port(), DATABASE));
  }

  /**
   * Writes a backup of the database to a new file.
   *
   * @param running the connection to the PostgreSQL of this folder
   */
  public static void backup(JdbcTarget running, Path dataDir, Path file) throws IOException {
    try (var connection = Connections.open(running)) {
      new BackupFile(file).write(connection, dataDir.resolve(Cluster.FOLDER));
    } catch (SQLException e) {
      throw new IOException("cannot back up " + dataDir + ": " + e.getMessage(), e);
    }
  }

  /**
   * Restores a backup to a data folder without a database. No server starts on it until {@link
   * RestoredCluster#confirm}.
   */
  public static BackupFile.Description restore(Path file, Path dataDir) throws IOException {
    var backup = new BackupFile(file);
    backup.verify();
    try (var directory = DataDirectory.claim(dataDir)) {
      if (exists(directory.path())) {
        throw new IOException(
            "%s has a database: move its folder %s away, or set another folder with --data-dir"
                .formatted(directory.path(), Cluster.FOLDER));
      }
      return RestoredCluster.unpack(backup, directory);
    }
  }

  /** Deletes a data folder that is not in use. */
  public static void delete(Path dataDir) throws IOException {
    try (var _ = DataDirectory.claim(dataDir)) {
      Folders.delete(dataDir);
    }
  }

  private static void createDatabase(JdbcTarget maintenance) throws SQLException {
    try (var connection = Connections.open(maintenance);
        var statement = connection.createStatement();
        var found =
            statement.executeQuery(
                "SELECT 1 FROM pg_database WHERE datname = '" + DATABASE + "'")) {
      if (!found.next()) {
        statement.execute("CREATE DATABASE " + DATABASE);
      }
    }
  }

  /** Returns the connection, which does not change when PostgreSQL is restarted. */
  public JdbcTarget target() {
    return target;
  }

  /** Stops PostgreSQL and releases the folder. */
  @Override
  public void close() throws IOException {
    try (directory) {
      supervisor.close();
    }
  }
}
