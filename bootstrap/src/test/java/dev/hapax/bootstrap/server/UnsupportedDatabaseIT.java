package dev.hapax.bootstrap.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.cli.HapaxCommand;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Databases that would lose something without an error. Commands change the log of the process. */
@Isolated
@Tag("long")
class UnsupportedDatabaseIT {
  private static final int USAGE = 2;
  private final TestDatabase database = TestDatabase.create();
  private final StringWriter out = new StringWriter();

  @AfterEach
  void close() {
    database.close();
  }

  private int hapax(String command, String url) {
    var to = new PrintWriter(out, true);
    return HapaxCommand.commandLine(Map.of())
        .setOut(to)
        .setErr(to)
        .execute(
            command,
            "--listen=127.0.0.1:0",
            "--console-listen=off",
            "--database-url=" + url,
            "--allow-unsafe-database");
  }

  private void assertRefused(String url, String reason) {
    assertNotServed(url, USAGE, "--database-url", reason);
    assertThat(hapax("migrate", url)).isEqualTo(USAGE);
    assertThat(hapax("doctor", url)).isNotZero();
    assertThat(out.toString().lines().filter(line -> line.startsWith("FAIL")))
        .singleElement()
        .asString()
        .contains(reason);
  }

  @Test
  @DisplayName(
      "given a pooler in transaction mode before the database, then no server starts, and doctor"
          + " fails [security-S3]")
  void pooler() throws IOException {
    Migrations.migrate(database.dataSource());
    try (var pooler = new PoolingProxy(database.url())) {
      assertRefused(pooler.url(), "a pooler in transaction mode");
    }
    assertThat(hapax("doctor", database.url())).isZero();
  }

  @Test
  @DisplayName(
      "given tables of Hapax that Citus distributes, then no server starts, no migration runs, and"
          + " doctor fails [cells-S0]")
  void distributed() {
    Migrations.migrate(database.dataSource());
    database.execute(
        """
        SET allow_system_table_mods = on;
        CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char");
        CREATE TABLE public.other (id int);
        INSERT INTO pg_catalog.pg_dist_partition VALUES ('public.other', 'h')""");
    assertThat(hapax("doctor", database.url())).as("of the application").isZero();
    database.execute("INSERT INTO pg_dist_partition VALUES ('hapax.run', 'h')");

    assertRefused(
        database.url(), "not supported: tables of Hapax that Citus distributes (hapax.run)");
  }

  @Test
  @DisplayName(
      "given a role of servers that can log in, then migrate and doctor fail, no server starts, and"
          + " the role has no rights [security-S9]")
  void login() {
    var role = database.query("SELECT 'hapax_' || current_database() || '_runtime'");
    database.execute("CREATE ROLE %s LOGIN PASSWORD 'guessed'".formatted(role));

    assertThat(hapax("migrate", database.url())).isEqualTo(1);
    assertThat(out.toString()).contains("role " + role + " can log in");
    assertThat(
            database.query(
                "SELECT has_table_privilege('%s', 'hapax.installation', 'SELECT')".formatted(role)))
        .isEqualTo("f");
    database.execute("ALTER ROLE %s NOLOGIN".formatted(role));
    assertThat(hapax("migrate", database.url())).isZero();
    assertThat(hapax("doctor", database.url())).isZero();

    database.execute("ALTER ROLE %s LOGIN".formatted(role));
    assertRefusedRole("role " + role + " can log in");
    database.execute("ALTER ROLE %s NOLOGIN BYPASSRLS".formatted(role));
    assertRefusedRole("role " + role + " passes row-level security");
  }

  @Test
  @DisplayName(
      "given a member of one role of servers, then migrate and doctor fail and name it; a user of"
          + " servers is none [security-S9]")
  void member() {
    Migrations.migrate(database.dataSource());
    var name = database.query("SELECT current_database()");
    var roles = "hapax_%1$s_runtime, hapax_%1$s_maintenance".formatted(name);
    database.execute(
        "CREATE ROLE %1$s_server LOGIN IN ROLE %2$s; CREATE ROLE %1$s_group; CREATE ROLE %1$s_clerk LOGIN IN ROLE %1$s_group"
            .formatted(name, roles));
    try {
      assertThat(hapax("doctor", database.url())).isZero();
      assertThat(hapax("migrate", database.url())).isZero();

      database.execute("GRANT hapax_%1$s_maintenance TO %1$s_group".formatted(name));
      assertRefusedRole("role %1$s_clerk is a member of hapax_%1$s_maintenance".formatted(name));
    } finally {
      database.execute("DROP ROLE %1$s_server, %1$s_clerk, %1$s_group".formatted(name));
    }
  }

  private void assertRefusedRole(String reason) {
    assertThat(hapax("migrate", database.url())).isEqualTo(1);
    assertThat(out.toString()).contains(reason);
    assertThat(hapax("doctor", database.url())).isNotZero();
    assertThat(out.toString()).contains("FAIL  row-level security  " + reason);
    assertNotServed(database.url(), 1, reason);
  }

  private static void assertNotServed(String url, int exitCode, String... said) {
    try (var server =
        HapaxProcess.start(
            "serve", "--listen=127.0.0.1:0", "--database-url=" + url, "--allow-unsafe-database")) {
      assertThat(server.awaitExit()).isEqualTo(exitCode);
      assertThat(server.errors().getLast()).contains(said);
    }
  }
}
