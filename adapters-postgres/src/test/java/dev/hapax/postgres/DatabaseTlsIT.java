package dev.hapax.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.ledger.SqlState;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.RowLevelSecurity;
import dev.hapax.testkit.postgres.TlsDatabase;
import dev.hapax.testkit.tls.TestCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

@TestInstance(Lifecycle.PER_CLASS)
@Tag("long")
class DatabaseTlsIT {
  private static final Duration WEEK = Duration.ofDays(7);

  private final TestCertificates authority = TestCertificates.authority("databases");
  @TempDir private Path folder = Path.of("");
  private TlsDatabase database;

  @BeforeAll
  void start() throws IOException {
    database = TlsDatabase.start(authority, "first");
  }

  @AfterAll
  void stop() throws IOException {
    database.close();
  }

  @Test
  @DisplayName("given sslmode=verify-full, then another authority or another name is refused")
  void verifies() throws Exception {
    database.changePassword("first");
    var password = new DatabasePassword.Text("first");
    try (var connection = connect(url(), "hapax", password)) {
      assertThat(tls(connection)).isEqualTo("t");
    }
    var other =
        Files.writeString(folder.resolve("other.crt"), TestCertificates.authority("other").pem());
    assertThatThrownBy(() -> connect(database.url(other), "hapax", password))
        .isInstanceOf(SQLException.class);
    assertThatThrownBy(() -> connect(url().replace("127.0.0.1", "localhost"), "hapax", password))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("localhost");
    assertThatThrownBy(() -> connect(url().replace("verify-full", "disable"), "hapax", password))
        .hasMessageContaining("no encryption");
    try (var bound = connect(url() + "&channelBinding=require", "hapax", password)) {
      assertThat(tls(bound)).isEqualTo("t");
    }
  }

  @Test
  @DisplayName(
      "given a client certificate, then no password is needed, and each connection reads it")
  void clientCertificate() throws Exception {
    var url =
        url()
            + "&sslcert="
            + folder.resolve("tls.crt")
            + "&sslkey="
            + folder.resolve("tls.key")
            + "&pemKeyAlgorithm=EC";
    authority.issue("certified").writeTo(folder);
    try (var connection = connect(url, "certified", new DatabasePassword.None())) {
      assertThat(tls(connection)).isEqualTo("t");
    }
    var source = PostgresSources.direct(config(url, "certified", new DatabasePassword.None()));
    authority.issue("stranger").writeTo(folder);
    assertThatThrownBy(source::getConnection).hasMessageContaining("certified");
    authority.issue("certified").writeTo(folder);
    source.getConnection().close();
  }

  @Test
  @DisplayName("given a password file, when role and file change, then new connections use it")
  void rotation() throws Exception {
    database.changePassword("first");
    var passwordFile = folder.resolve("password");
    Files.writeString(passwordFile, "first\n");
    var config = config(url(), "hapax", new DatabasePassword.InFile(passwordFile));
    Migrations.migrate(PostgresSources.direct(config));
    try (var store = PostgresStore.open(config)) {
      assertThat(store.database()).isEqualTo(DatabaseState.WRITABLE);

      database.changePassword("second");
      database.disconnectAll();
      assertThatThrownBy(PostgresSources.direct(config)::getConnection)
          .hasMessageContaining("password authentication failed");

      Files.writeString(passwordFile, "second");
      PostgresSources.direct(config).getConnection().close();
      PostgresSources.bounded(config).getConnection().close();
      // a pooled connection, which was terminated and had the old password
      await(store);
    }
  }

  @Test
  @DisplayName("given a password file that is missing or empty, then the error passes")
  void unreadable() throws Exception {
    var missing = new DatabasePassword.InFile(folder.resolve("missing"));
    assertThatThrownBy(missing::current)
        .hasMessageContaining("the password file " + missing.path() + " cannot be read")
        .satisfies(
            e -> assertThat(SqlState.of((SQLException) e)).isEqualTo(SqlState.CONNECTION_LOST));
    var empty = new DatabasePassword.InFile(Files.writeString(folder.resolve("empty"), "\n"));
    assertThatThrownBy(empty::current)
        .hasMessage("the password file " + empty.path() + " is empty");
    assertThat(new DatabasePassword.Text("s3cret").toString()).doesNotContain("s3cret");
  }

  private static void await(PostgresStore store) {
    var end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (store.database() != DatabaseState.WRITABLE) {
      assertThat(System.nanoTime()).as("time is over").isLessThan(end);
    }
  }

  private String url() {
    return database.url();
  }

  private static Connection connect(String url, String user, DatabasePassword password)
      throws SQLException {
    return PostgresSources.direct(config(url, user, password)).getConnection();
  }

  private static PostgresConfig config(String url, String user, DatabasePassword password) {
    return new PostgresConfig(
        url,
        user,
        password,
        2,
        PostgresLedger.Settings.DEFAULT,
        WEEK,
        WEEK,
        RowLevelSecurity.AUTO,
        "test");
  }

  private static String tls(Connection connection) throws SQLException {
    try (var statement = connection.createStatement();
        var rows =
            statement.executeQuery("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")) {
      rows.next();
      return rows.getString(1);
    }
  }
}
