package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.document.CodeBlock;
import dev.hapax.bootstrap.process.FreePort;
import dev.hapax.bootstrap.process.HapaxProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The restores that docs/backup.md shows for your own PostgreSQL, with its commands, on one of this
 * machine. Skipped where none is installed: the built-in one has no {@code pg_basebackup}.
 */
@Tag("fault")
@Tag("long")
class DocumentedRestoreIT {
  private static final Path PAGE = Path.of("docs", "backup.md");
  private static final String MOMENT = "2026-11-23 14:05:00+00";

  @TempDir private Path folder = Path.of("");

  private Optional<InstalledPostgres> postgres = Optional.empty();
  private int port;

  @BeforeEach
  void find() throws IOException {
    postgres = Optional.of(InstalledPostgres.in(folder));
    port = FreePort.next();
  }

  @AfterEach
  void stop() {
    postgres.ifPresent(
        installed ->
            List.of("primary", "restored")
                .forEach(cluster -> installed.stop(cluster, "immediate")));
  }

  private void shell(String commands) {
    postgres.orElseThrow().shell(port, commands);
  }

  private String url() {
    return InstalledPostgres.url(port);
  }

  private String query(String sql) throws SQLException {
    try (var connection = DriverManager.getConnection(url());
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }

  private HapaxProcess serve() {
    // a variable, since a secured run gives the option
    return HapaxProcess.start(
        Map.of("HAPAX_ROW_LEVEL_SECURITY", "on"),
        "serve",
        "--listen=127.0.0.1:0",
        "--database-url=" + url());
  }

  /** The block of the page that has this text, with the folders of this test. */
  private String documented(String text) throws IOException {
    return CodeBlock.in(PAGE).stream()
        .map(CodeBlock::text)
        .filter(block -> block.contains(text))
        .findFirst()
        .orElseThrow()
        .replace("/archive", folder.resolve("archive").toString())
        .replace("/backup", folder.resolve("backup").toString())
        .replace("/var/lib/postgresql", folder.toString());
  }

  private void startNew(String name, String settings) throws IOException {
    postgres.orElseThrow().startNew(name, port, settings);
  }

  private void stopPrimary() {
    shell("pg_ctl --pgdata=%s --wait stop".formatted(folder.resolve("primary")));
  }

  /** As after a restore; the earlier servers would count for a minute. */
  private void replace() throws SQLException {
    var _ = query("WITH gone AS (DELETE FROM hapax.node RETURNING 1) SELECT count(*) FROM gone");
    try (var doctor =
        HapaxProcess.start("doctor", "--after-restore=replacement", "--database-url=" + url())) {
      assertThat(doctor.awaitExit()).as("%s", doctor.errors()).isZero();
    }
  }

  @Test
  @Tag("U6")
  @DisplayName(
      "given a base backup and an archive of the log, when the database is restored to a moment, then"
          + " it has what was done before, and refuses claims granted before it")
  void toAMoment() throws Exception {
    Files.createDirectories(folder.resolve("archive"));
    Files.createDirectories(folder.resolve("backup"));
    startNew("primary", documented("archive_mode"));
    shell("createdb hapax");
    var commands = documented("pg_basebackup").split("(?=# the restore)", 2);
    try (var server = serve();
        var caller = Caller.to(server.awaitReady())) {
      caller.complete(caller.acquire("before-backup"), Caller.json("1"));
      var held = caller.acquireShortly("held");
      shell(commands[0]);
      caller.complete(caller.acquire("after-backup"), Caller.json("2"));
      var moment = query("SELECT clock_timestamp()");
      caller.complete(caller.acquire("held"), Caller.json("\"lost\""));
      caller.complete(caller.acquire("lost"), Caller.json("\"lost\""));
      server.terminate();
      assertThat(server.awaitExit()).isZero();
      // it archives the rest of its log
      stopPrimary();

      shell(commands[1].replace(MOMENT, moment) + " --log=restored.log --wait");
      Condition.await("it was promoted", () -> isPromoted());
      replace();

      try (var again = serve();
          var later = caller.via(again.awaitReady())) {
        assertThat(later.get("before-backup").getResult()).isEqualTo(Caller.json("1"));
        assertThat(later.get("after-backup").getResult()).isEqualTo(Caller.json("2"));
        assertThat(later.complete(held, Caller.json("\"late\"")).hasClaimLost()).isTrue();
        assertThat(later.acquire("held").getFence()).isGreaterThan(held.getFence());
        assertThat(later.acquire("lost").getFence()).isPositive();
        again.terminate();
        assertThat(again.awaitExit()).isZero();
      }
    }
  }

  @Test
  @Tag("U6")
  @DisplayName(
      "given a dump, when it is restored in a new cluster, then it has what was done before, is kept"
          + " apart by its roles, and refuses claims granted before it")
  void fromADump() throws Exception {
    Files.createDirectories(folder.resolve("backup"));
    startNew("primary", "");
    shell("createdb hapax");
    var commands = documented("pg_dump").split("(?=# the restore)", 2);
    try (var server = serve();
        var caller = Caller.to(server.awaitReady())) {
      caller.complete(caller.acquire("before"), Caller.json("1"));
      var held = caller.acquireShortly("held");
      shell(commands[0]);
      caller.complete(caller.acquire("lost"), Caller.json("\"lost\""));
      server.terminate();
      assertThat(server.awaitExit()).isZero();
      stopPrimary();

      startNew("restored", "");
      shell(commands[1]);
      replace();

      try (var again = serve();
          var later = caller.via(again.awaitReady())) {
        assertThat(later.get("before").getResult()).isEqualTo(Caller.json("1"));
        assertThat(later.complete(held, Caller.json("\"late\"")).hasClaimLost()).isTrue();
        assertThat(later.acquire("held").getFence()).isGreaterThan(held.getFence());
        assertThat(later.acquire("lost").getFence()).isPositive();
        again.terminate();
        assertThat(again.awaitExit()).isZero();
      }
    }
  }

  /** Runs the SQL of docs/configuration.md for servers that do not own the tables. */
  private void createRoles() throws IOException {
    var sql =
        CodeBlock.in(Path.of("docs", "configuration.md")).stream()
            .map(CodeBlock::text)
            .filter(block -> block.contains("CREATE ROLE hapax_server"))
            .findFirst()
            .orElseThrow();
    Files.writeString(folder.resolve("roles.sql"), sql);
    shell("psql --quiet --set=ON_ERROR_STOP=1 --dbname=postgres --file=roles.sql");
  }

  private HapaxProcess runAs(String user, String... command) {
    var words = new ArrayList<>(List.of(command));
    words.add("--database-url=" + url());
    words.add("--database-user=" + user);
    return HapaxProcess.start(
        Map.of("HAPAX_ROW_LEVEL_SECURITY", "on"), words.toArray(String[]::new));
  }

  private void runAsOwner(String... command) {
    try (var done = runAs("hapax_owner", command)) {
      assertThat(done.awaitExit()).as("%s", done.errors()).isZero();
    }
  }

  @Test
  @DisplayName(
      "given the documented roles of owner and server, then a server starts on them, and a dump is"
          + " restored into an empty cluster with them [operators-M3] [operators-M4]")
  void ownerAndServer() throws Exception {
    Files.createDirectories(folder.resolve("backup"));
    startNew("primary", "");
    createRoles();
    runAsOwner("migrate");
    try (var key =
        runAs("hapax_server", "key", "create", "--principal=a", "--role=admin", "--workspace=*")) {
      assertThat(key.awaitExit()).isEqualTo(1);
      assertThat(key.errors().getLast()).contains("run this command as the owner of the schema");
    }
    var commands = documented("pg_dump").split("(?=# the restore)", 2);
    try (var server = runAs("hapax_server", "serve", "--listen=127.0.0.1:0");
        var caller = Caller.to(server.awaitReady())) {
      caller.complete(caller.acquire("before"), Caller.json("1"));
      shell(commands[0]);
      server.terminate();
      assertThat(server.awaitExit()).isZero();
      stopPrimary();

      startNew("restored", "");
      createRoles();
      shell(
          commands[1]
              .lines()
              .filter(line -> line.startsWith("pg_restore"))
              .findFirst()
              .orElseThrow());
      var _ = query("WITH gone AS (DELETE FROM hapax.node RETURNING 1) SELECT count(*) FROM gone");
      runAsOwner("doctor", "--after-restore=replacement");
      try (var again = runAs("hapax_server", "serve", "--listen=127.0.0.1:0");
          var later = caller.via(again.awaitReady())) {
        assertThat(later.get("before").getResult()).isEqualTo(Caller.json("1"));
        again.terminate();
        assertThat(again.awaitExit()).isZero();
      }
    }
  }

  @Test
  @DisplayName(
      "given a database that a user may not connect to, then doctor names the grant [operators-M3]")
  void mayNotConnect() throws Exception {
    startNew("primary", "");
    createRoles();
    try (var connection = DriverManager.getConnection(url());
        var statement = connection.createStatement()) {
      statement.execute("REVOKE CONNECT ON DATABASE hapax FROM hapax_server");
    }
    try (var doctor = runAs("hapax_server", "doctor")) {
      assertThat(doctor.awaitExit()).isEqualTo(1);
      assertThat(String.join("\n", doctor.output()))
          .contains("GRANT CONNECT ON DATABASE hapax TO hapax_server");
    }
  }

  private boolean isPromoted() {
    try {
      return query("SELECT NOT pg_is_in_recovery()").equals("t");
    } catch (SQLException _) {
      return false;
    }
  }

  @Test
  @DisplayName("the moment in the page is where this test expects it")
  void moment() {
    assertThat(
            Stream.of(CodeBlock.in(PAGE))
                .flatMap(List::stream)
                .filter(block -> block.text().contains(MOMENT)))
        .hasSize(1);
  }
}
