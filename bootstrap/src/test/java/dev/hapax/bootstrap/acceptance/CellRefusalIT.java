package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.cli.HapaxCommand;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.testkit.postgres.TestDatabase;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Databases that are not the cells for which the settings take them, and the commands. */
class CellRefusalIT {
  private final CellDatabases cells = CellDatabases.create();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder = Path.of("");

  @AfterEach
  void close() {
    cells.close();
  }

  private int hapax(String... words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    var arguments = new ArrayList<>(List.of(words));
    arguments.add("--database-url=" + cells.first().url());
    arguments.add("--allow-unsafe-database");
    return HapaxCommand.commandLine(Map.of())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(String[]::new));
  }

  /** The line of a cell in {@code hapax cell list}. */
  private String listed(String name, String... settings) {
    var words = new ArrayList<>(List.of("cell", "list"));
    words.addAll(List.of(settings));
    assertThat(hapax(words.toArray(String[]::new))).as(err.toString()).isZero();
    return out.toString().lines().filter(line -> line.startsWith(name)).findFirst().orElseThrow();
  }

  private static String cell(String name, TestDatabase database) {
    return "--cell=%s=%s".formatted(name, database.url());
  }

  @Test
  @DisplayName("given a URL of another cell, then the cell is refused by its name")
  void wrongName() {
    assertThat(listed("second", cells.setting())).endsWith("yes");
    cells.first().execute("INSERT INTO hapax.cell (name) VALUES ('third')");
    assertThat(listed("third", cells.setting(), cell("third", cells.second())))
        .contains("it is cell second, and not third; correct the URL");
    assertThat(listed("second", cell("second", cells.first())))
        .contains("it is cell default, and not second");
    var _ = hapax("doctor", cells.setting(), cell("third", cells.second()));
    assertThat(out.toString())
        .containsPattern("ok +cell second +usable")
        .containsPattern("FAIL +cell third +.*it is cell second, and not third");
    assertThat(hapax("cell", "add", "third", cell("third", cells.second()))).isEqualTo(1);
    assertThat(err.toString()).contains("it is cell second, and not third");
  }

  @Test
  @DisplayName("given another secret, then the cell is refused")
  void otherSecret() {
    cells.second().execute("UPDATE hapax.installation SET secret = sha256('other')");
    assertThat(listed("second", cells.setting()))
        .contains("its secret is not that of the first cell");
  }

  @Test
  @DisplayName("given an older schema, then the cell is refused, with the command that migrates it")
  void olderSchema() {
    cells
        .second()
        .execute(
            "DELETE FROM hapax.flyway_schema_history WHERE version::int = (SELECT max(version::int)"
                + " FROM hapax.flyway_schema_history)");
    assertThat(listed("second", cells.setting()))
        .containsPattern(
            "its schema has version \\d+, but this version needs \\d+: run `hapax migrate`");
  }

  @Test
  @DisplayName("given a database that was not added, then the message names the command")
  void notAdded() {
    try (var empty = TestDatabase.create()) {
      assertThat(listed("second", cell("second", empty))).contains("run `hapax cell add second`");
      assertThat(hapax("cell", "add", "third", cell("third", empty))).as(err.toString()).isZero();
      assertThat(listed("third", cell("third", empty))).endsWith("yes");
      // again
      assertThat(hapax("cell", "add", "third", cell("third", empty))).isZero();
    }
  }

  @Test
  @DisplayName("given a database with data of another installation, then it cannot be added")
  void otherInstallation() {
    try (var other = Deployment.on(TestDatabase.create());
        var caller = other.caller()) {
      var _ = caller.acquire("key");
      assertThat(hapax("cell", "add", "third", cell("third", other.database()))).isEqualTo(1);
      assertThat(err.toString()).contains("it has data of another installation (table operation)");
    }
  }

  @Test
  @DisplayName("given --database-url of another cell, then the server does not start")
  void notTheFirst() {
    assertThatThrownBy(() -> Deployment.on(cells.second()))
        .hasMessageContaining(
            "it is cell second; --database-url must name the database of the first cell");
  }

  @Test
  @DisplayName("given a cell that is refused, then the server serves the others, and logs why")
  void refused() {
    cells.second().execute("UPDATE hapax.installation SET secret = sha256('other')");
    try (var deployment = Deployment.of(cells);
        var here = Caller.to(deployment.target())) {
      assertThat(deployment.server().awaitError(line -> line.contains("cell second is not usable")))
          .contains("its secret is not that of the first cell");
      assertThat(here.acquire("key").getId()).isNotEmpty();
    }
  }

  @Test
  @DisplayName("given a line that is no cell, then the error names file, line and what is wrong")
  void invalidLines() throws IOException {
    var file =
        Files.writeString(
            folder.resolve("cells"),
            """
            # the cells
            eu = jdbc:postgresql://eu/hapax user=hapax password-file=eu.txt
            eu = jdbc:postgresql://other/hapax
            US = jdbc:postgresql://us/hapax
            asia
            africa = postgres://africa/hapax
            oceania = jdbc:postgresql://oceania/hapax colour=red
            default = jdbc:postgresql://first/hapax
            """);
    assertThat(hapax("cell", "list", "--cells=" + file)).isEqualTo(2);
    assertThat(err.toString())
        .contains(file + ":3: cell eu is listed twice")
        .contains(file + ":4: the name of a cell must match [a-z][a-z0-9-]{0,62} (was US)")
        .contains(file + ":5: must be NAME=JDBC_URL")
        .contains(file + ":6: the URL of cell africa must begin with jdbc:postgresql://")
        .contains(
            file + ":7: only user=NAME and password-file=FILE may follow the URL (was colour)")
        .contains(file + ":8: the cell default is the database of --database-url");
  }

  @Test
  @DisplayName("given a new workspace, then `cell move` places it, and does nothing again")
  void place() {
    assertThat(hapax("cell", "move", "shop", "--to=second", cells.setting()))
        .as(err.toString())
        .isZero();
    assertThat(out.toString()).contains("cell second serves workspace shop");
    assertThat(listed("second", cells.setting())).containsPattern("second +active +1 ");
    assertThat(hapax("cell", "move", "shop", "--to=second", cells.setting())).isZero();
    assertThat(out.toString()).contains("workspace shop is in cell second already");
    assertThat(hapax("cell", "move", "shop", "--to=third", cells.setting())).isEqualTo(1);
    assertThat(err.toString()).contains("cell third has no address");
    assertThat(hapax("cell", "move", "new", "--to=second", "--cancel", cells.setting()))
        .isEqualTo(1);
    assertThat(err.toString()).contains("workspace new is not being moved");
  }

  @Test
  @DisplayName(
      "given a workspace with records in both cells, or a server without the cell, then `cell move`"
          + " is refused, and changes nothing")
  void refusedMove() throws Exception {
    try (var deployment = Deployment.of(cells);
        var here = Caller.to(deployment.target())) {
      cells.awaitReports();
      var _ = here.acquire("key");
      cells
          .second()
          .execute(
              "INSERT INTO hapax.run_key (workspace, hash, run_id, request, expires_at) VALUES ('%s', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now())"
                  .formatted(here.workspace()));
      assertThat(hapax("cell", "move", here.workspace(), "--to=second", cells.setting()))
          .isEqualTo(1);
      assertThat(err.toString())
          .contains("cell second has records of a workspace " + here.workspace())
          .contains("(table run_key); nothing was changed");

      try (var other =
              HapaxProcess.start(
                  List.of(),
                  "serve",
                  "--listen=127.0.0.1:0",
                  "--database-url=" + cells.first().url());
          var there = Caller.to(other.awaitReady())) {
        var _ = there.acquire("key");
        assertThat(hapax("cell", "move", there.workspace(), "--to=second", cells.setting()))
            .isEqualTo(1);
        assertThat(err.toString()).contains("needs the setting --cell or --cells");
        assertThat(there.acquire("other").getId()).isNotEmpty();
      }
      assertThat(cells.moves()).isEmpty();
      assertThat(cells.first().query("SELECT count(*) FROM hapax.moved")).isEqualTo("0");
    }
  }

  @Test
  @DisplayName(
      "given a file of cells, when a line is added, then the cell is served without a restart")
  void reload() throws IOException {
    var file = Files.writeString(folder.resolve("cells"), "# none yet\n");
    try (var deployment = Deployment.on(cells.first(), "--cells=" + file);
        var there = Caller.to(deployment.target())) {
      cells.placeUnchecked(there.workspace());
      Condition.await(
          "the map is read",
          () -> refusal(there).contains("is not configured on this server (--cell)"));
      Files.writeString(file, "second = " + cells.second().url() + "\n");
      Condition.await("the file is read", () -> refusal(there).isEmpty());
    }
  }

  /** The message of the error; empty = the call was answered. */
  private static String refusal(Caller caller) {
    try {
      var _ = caller.acquire("key-" + System.nanoTime());
      return "";
    } catch (StatusRuntimeException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
