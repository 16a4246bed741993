package dev.hapax.testkit.postgres;

import dev.hapax.testkit.tls.TestCertificates;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/**
 * A PostgreSQL with TLS and a database {@code hapax}. Its role {@code hapax} needs a password, and
 * {@code certified} a certificate of that common name; both may create schemas there.
 */
public final class TlsDatabase implements AutoCloseable {
  private static final String RULES =
      """
      host    all postgres  127.0.0.1/32 trust
      hostssl all certified 127.0.0.1/32 cert
      hostssl all all       127.0.0.1/32 scram-sha-256
      """;

  private final EmbeddedPostgres server;
  private final Path folder;

  private TlsDatabase(EmbeddedPostgres server, Path folder) {
    this.server = server;
    this.folder = folder;
  }

  /**
   * Starts a server.
   *
   * @param authority issues the server's certificate, for 127.0.0.1, and those of clients
   * @param password of the role {@code hapax}
   */
  public static TlsDatabase start(TestCertificates authority, String password) throws IOException {
    var folder = Files.createTempDirectory("hapax-tls-database");
    authority.issue("127.0.0.1").writeTo(folder);
    Files.writeString(folder.resolve("ca.crt"), authority.pem());
    var rules = Files.writeString(folder.resolve("pg_hba.conf"), RULES);
    var server =
        EmbeddedPostgres.builder()
            .setServerConfig("ssl", "on")
            .setServerConfig("ssl_cert_file", folder.resolve("tls.crt").toString())
            .setServerConfig("ssl_key_file", folder.resolve("tls.key").toString())
            .setServerConfig("ssl_ca_file", folder.resolve("ca.crt").toString())
            .setServerConfig("hba_file", rules.toString())
            .setServerConfig("synchronous_commit", "on")
            .start();
    var database = new TlsDatabase(server, folder);
    database.execute("CREATE ROLE hapax LOGIN PASSWORD '%s'".formatted(password));
    database.execute("CREATE ROLE certified LOGIN");
    database.execute("CREATE DATABASE hapax OWNER hapax");
    database.execute("GRANT CREATE ON DATABASE hapax TO certified");
    return database;
  }

  /** Returns a URL of the database without a user, which verifies the server's certificate. */
  public String url() {
    return url(folder.resolve("ca.crt"));
  }

  /** Returns a URL of the database that trusts the authorities of this file. */
  public String url(Path authority) {
    return String.format(
        Locale.ROOT,
        "jdbc:postgresql://127.0.0.1:%d/hapax?sslmode=verify-full&sslrootcert=%s",
        server.getPort(),
        authority);
  }

  /** Executes a statement as the superuser. */
  public void execute(String sql) {
    try (var connection = DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
        var statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** Sets the password of the role {@code hapax}. */
  public void changePassword(String password) {
    execute("ALTER ROLE hapax PASSWORD '%s'".formatted(password));
  }

  /** Ends all connections of the database. */
  public void disconnectAll() {
    execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'hapax'");
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (var file : List.of("tls.crt", "tls.key", "ca.crt", "pg_hba.conf")) {
      Files.deleteIfExists(folder.resolve(file));
    }
    Files.deleteIfExists(folder);
  }
}
