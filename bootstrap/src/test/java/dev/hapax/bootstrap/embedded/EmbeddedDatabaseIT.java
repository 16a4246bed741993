package dev.hapax.bootstrap.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.database.Connections;
import dev.hapax.bootstrap.process.DataDir;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("fault")
@Tag("long")
class EmbeddedDatabaseIT {
  private static final Duration POLL = Duration.ofMillis(20);

  @TempDir private Path folder = Path.of("");

  @AfterEach
  void endPostgres() throws IOException {
    new DataDir(folder).close();
  }

  @Test
  void isDurableRecentAndOnThisMachineOnly() throws Exception {
    try (var database = EmbeddedDatabase.start(folder)) {
      assertThat(show(database, "fsync")).isEqualTo("on");
      assertThat(show(database, "full_page_writes")).isEqualTo("on");
      assertThat(show(database, "synchronous_commit")).isEqualTo("on");
      assertThat(show(database, "data_checksums")).isEqualTo("on");
      assertThat(show(database, "listen_addresses")).isEqualTo("127.0.0.1");
      assertThat(show(database, "server_version")).startsWith("18.");
    }
  }

  @Test
  void rejectsConnectionsWithoutThePassword() throws Exception {
    try (var database = EmbeddedDatabase.start(folder)) {
      var target = database.target();
      var stranger = new JdbcTarget(target.url(), target.user(), Optional.of("guessed"));

      assertThatThrownBy(() -> Connections.open(stranger).close())
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("password authentication failed");
    }
  }

  @Test
  void keepsItsDataAndLeavesNoProcess() throws Exception {
    try (var database = EmbeddedDatabase.start(folder);
        var connection = Connections.open(database.target());
        var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE kept AS SELECT 'row' AS value");
    }
    assertThat(new DataDir(folder).postmaster()).isEmpty();

    assertRowIsThere();
  }

  @Test
  void keepsARowWhenItsProcessIsKilled() throws Exception {
    writeAndKill();
    assertThat(new DataDir(folder).postmaster()).isPresent();

    assertRowIsThere();
  }

  @Test
  void keepsARowWhenPostgresIsKilledToo() throws Exception {
    writeAndKill();
    new DataDir(folder).killPostmaster();

    assertRowIsThere();
  }

  /**
   * A session that outlives the postmaster still writes to the same files: no new session may join
   * it.
   */
  @Test
  void waitsForTheSessionsOfAKilledPostgres() throws Exception {
    writeAndKill();
    var session =
        new DataDir(folder).postmaster().orElseThrow().children().findFirst().orElseThrow();
    Signals.send("STOP", session.pid());
    new DataDir(folder).killPostmaster();

    try (var second =
        HapaxProcess.startMain(EmbeddedDatabaseMain.class.getName(), Map.of(), folder.toString())) {
      second.awaitError(line -> line.contains("still in use"));
      assertThat(second.output()).isEmpty();
      Signals.send("CONT", session.pid());
      second.awaitOutput("written"::equals);
    }
  }

  @Test
  void comesBackOnItsPortWhenOnlyPostgresIsKilled() throws Exception {
    try (var database = EmbeddedDatabase.start(folder)) {
      new DataDir(folder).killPostmaster();

      assertThat(untilAnswered(database.target())).isEqualTo("1");
    }
    assertThat(new DataDir(folder).postmaster()).isEmpty();
  }

  @Test
  void refusesAFolderInUse() throws Exception {
    try (var _ = EmbeddedDatabase.start(folder)) {
      assertThatThrownBy(() -> EmbeddedDatabase.start(folder))
          .isInstanceOf(DirectoryInUseException.class)
          .hasMessageContaining(Long.toString(ProcessHandle.current().pid()))
          .hasMessageContaining("--data-dir");
    }
  }

  @Test
  void recoversFromEveryKindOfStalePidFile() throws Exception {
    var gone = new ProcessBuilder("true").start();
    gone.waitFor();
    long anotherProgram = ProcessHandle.current().pid();
    EmbeddedDatabase.start(folder).close();

    for (var content : List.of(pidFile(gone.pid()), pidFile(anotherProgram), "", "12")) {
      Files.writeString(folder.resolve("postgres/postmaster.pid"), content);

      try (var database = EmbeddedDatabase.start(folder)) {
        assertThat(query(database.target(), "SELECT 1")).as(content).isEqualTo("1");
      }
    }
  }

  @Test
  void leavesThePostgresOfAnotherFolderAlone() throws Exception {
    var other = Files.createDirectory(folder.resolve("other"));
    try (var database = EmbeddedDatabase.start(other)) {
      var mine = Files.createDirectory(folder.resolve("mine"));
      EmbeddedDatabase.start(mine).close();
      Files.copy(other.resolve("postgres/postmaster.pid"), mine.resolve("postgres/postmaster.pid"));

      EmbeddedDatabase.start(mine).close();

      assertThat(query(database.target(), "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void beginsAnewAfterAHalfInitialisation() throws Exception {
    Files.createDirectories(folder.resolve("postgres.unfinished/base"));
    Files.writeString(folder.resolve("hapax.password"), "half");

    try (var database = EmbeddedDatabase.start(folder)) {
      assertThat(query(database.target(), "SELECT current_database()")).isEqualTo("hapax");
    }
    assertThat(folder.resolve("postgres.unfinished")).doesNotExist();
  }

  @Test
  void saysWhatAForeignFolderIs() throws Exception {
    Files.createDirectory(folder.resolve("postgres"));

    assertThatThrownBy(() -> EmbeddedDatabase.start(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is not a PostgreSQL cluster of hapax");
  }

  @Test
  void worksInAFolderWithSpaces() throws Exception {
    try (var database = EmbeddedDatabase.start(folder.resolve("my data"))) {
      assertThat(query(database.target(), "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  @DisplayName(
      "given a new data folder and a log that others may read, when PostgreSQL starts, then only"
          + " its user reads both [security-N5]")
  void isPrivate() throws Exception {
    var data = folder.resolve("parent/data");
    EmbeddedDatabase.start(data).close();
    var log = data.resolve("postgres.log");
    Files.setPosixFilePermissions(log, PosixFilePermissions.fromString("rw-r--r--"));
    EmbeddedDatabase.start(data).close();

    // a user that PostgreSQL runs as in place of root passes
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
        .isIn("rwx------", "rwx-----x");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(log)))
        .isEqualTo("rw-------");
  }

  private void writeAndKill() {
    try (var process =
        HapaxProcess.startMain(EmbeddedDatabaseMain.class.getName(), Map.of(), folder.toString())) {
      process.awaitOutput("written"::equals);
      process.kill9();
    }
  }

  private void assertRowIsThere() throws Exception {
    try (var database = EmbeddedDatabase.start(folder)) {
      assertThat(query(database.target(), "SELECT value FROM kept")).isEqualTo("row");
    }
  }

  private String pidFile(long pid) {
    return pid + "\n" + folder.resolve("postgres") + "\n1700000000\n20001\n\n";
  }

  private static String show(EmbeddedDatabase database, String setting) throws SQLException {
    return query(database.target(), "SHOW " + setting);
  }

  private static String query(JdbcTarget target, String sql) throws SQLException {
    try (var connection = Connections.open(target);
        var statement = connection.createStatement();
        var result = statement.executeQuery(sql)) {
      assertThat(result.next()).isTrue();
      return result.getString(1);
    }
  }

  private static String untilAnswered(JdbcTarget target) throws SQLException {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (true) {
      try {
        return query(target, "SELECT 1");
      } catch (SQLException e) {
        if (System.nanoTime() > deadline) {
          throw e;
        }
        LockSupport.parkNanos(POLL.toNanos());
      }
    }
  }
}
