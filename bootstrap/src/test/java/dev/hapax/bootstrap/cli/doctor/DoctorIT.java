package dev.hapax.bootstrap.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.database.Connections;
import dev.hapax.bootstrap.database.DatabaseFinding;
import dev.hapax.bootstrap.database.DatabaseFinding.Level;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
class DoctorIT {
  @TempDir private Path folder = Path.of("");

  @Test
  void isContentWithAFolderThatDoesNotExistYetAndLeavesItSo() throws Exception {
    var dataDir = folder.resolve("new");

    var findings = examine(Map.of("data-dir", dataDir.toString(), "listen", "127.0.0.1:0"));

    assertThat(findings).extracting(DatabaseFinding::level).containsOnly(Level.OK);
    assertThat(findings)
        .extracting(DatabaseFinding::subject)
        .contains("java", "data-dir", "listen", "database", "fsync", "synchronous_commit", "clock");
    assertThat(findings)
        .extracting(DatabaseFinding::toString)
        .anyMatch(text -> text.contains("each server needs up to 15 with --pool-size 8"))
        .anyMatch(text -> text.contains("disk") && text.contains("MiB free"))
        .anyMatch(text -> text.contains("database size") && text.contains("runbook disk-full"));
    assertThat(dataDir).doesNotExist();
  }

  @Test
  void looksAtADatabaseInUse() throws Exception {
    try (var _ = EmbeddedDatabase.start(folder)) {
      // a test beside this one takes a default port
      var findings = examine(Map.of("data-dir", folder.toString(), "listen", "127.0.0.1:0"));

      assertThat(findings).extracting(DatabaseFinding::subject).contains("running", "version");
      assertThat(findings).extracting(DatabaseFinding::level).containsOnly(Level.OK);
    }
  }

  @Test
  void findsWhatWouldBreakPromises() throws Exception {
    try (var database = EmbeddedDatabase.start(folder)) {
      weaken(database.target());

      var findings = examine(external(database.target()));

      assertThat(failed(findings)).containsExactly("encoding", "synchronous_commit");
      assertThat(findings)
          .extracting(DatabaseFinding::text)
          .anyMatch(text -> text.contains("set synchronous_commit = on"));
    }
  }

  @Test
  void saysWhatIsWrongWithAnAddressAndADatabase() throws Exception {
    var findings =
        examine(
            Map.of(
                "listen",
                "192.0.2.1:7420",
                "insecure",
                "true",
                "database-url",
                "jdbc:postgresql://127.0.0.1:1/x?password=s3cret"));

    assertThat(failed(findings)).containsExactly("listen", "database");
    assertThat(findings.toString()).contains("--database-url").doesNotContain("s3cret");
  }

  @Test
  void warnsOfAPortThatTheServerItselfMayUse() throws Exception {
    try (var database = EmbeddedDatabase.start(folder);
        var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var flags = external(database.target());
      flags.put("database-url", database.target().url().value());
      flags.put("listen", "127.0.0.1:" + server.getLocalPort());
      flags.put("console-listen", "off");

      var findings = examine(flags);

      assertThat(failed(findings)).isEmpty();
      assertThat(findings)
          .filteredOn(finding -> finding.level() == Level.WARN)
          .extracting(DatabaseFinding::subject)
          .containsExactly("listen");
    }
  }

  @Test
  void rejectsAPortInUseIfNoServerUsesTheDataFolder() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var findings =
          examine(
              Map.of(
                  "data-dir",
                  folder.resolve("new").toString(),
                  "listen",
                  "127.0.0.1:" + taken.getLocalPort()));

      assertThat(failed(findings)).containsExactly("listen");
    }
  }

  @Test
  void checksEveryPort() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var port = "127.0.0.1:" + taken.getLocalPort();

      var findings =
          examine(
              Map.of(
                  "data-dir",
                  folder.resolve("new").toString(),
                  "listen",
                  "127.0.0.1:0",
                  "metrics-listen",
                  port,
                  "http-listen",
                  port,
                  "console-listen",
                  port));

      assertThat(failed(findings))
          .containsExactly("metrics-listen", "http-listen", "console-listen");
    }
  }

  @Test
  void findsAUserWhoMayNotCreateTheSchema() throws Exception {
    try (var database = EmbeddedDatabase.start(folder)) {
      try (var connection = Connections.open(database.target());
          var statement = connection.createStatement()) {
        statement.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'");
      }
      var findings =
          examine(
              Map.of(
                  "listen",
                  "127.0.0.1:0",
                  "database-url",
                  database.target().url().value(),
                  "database-user",
                  "guest",
                  "database-password",
                  "guest"));

      assertThat(failed(findings)).containsExactly("rights");
      assertThat(findings)
          .extracting(DatabaseFinding::text)
          .anyMatch(text -> text.contains("GRANT CREATE ON DATABASE hapax TO guest"));
    }
  }

  private static void weaken(JdbcTarget target) throws Exception {
    try (var connection = Connections.open(target);
        var statement = connection.createStatement()) {
      statement.execute(
          "CREATE DATABASE weak TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'");
      statement.execute("ALTER DATABASE weak SET synchronous_commit = off");
    }
  }

  private static Map<String, String> external(JdbcTarget target) throws SQLException {
    var flags = new HashMap<String, String>();
    flags.put("listen", "127.0.0.1:0");
    flags.put("database-url", target.url().value().replaceFirst("/hapax$", "/weak"));
    target.user().ifPresent(user -> flags.put("database-user", user));
    target.password().current().ifPresent(password -> flags.put("database-password", password));
    return flags;
  }

  private static List<String> failed(List<DatabaseFinding> findings) {
    return findings.stream()
        .filter(finding -> finding.level() == Level.FAIL)
        .map(DatabaseFinding::subject)
        .toList();
  }

  private static List<DatabaseFinding> examine(Map<String, String> flags) throws Exception {
    var findings = new ArrayList<DatabaseFinding>();
    new Doctor(ConfigReader.read(flags, Map.of(), Optional.empty()), findings::add).examine();
    return findings;
  }
}
