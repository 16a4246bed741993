package dev.hapax.bootstrap.cli.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.cli.HapaxCommand;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyCommandsIT {
  private final TestDatabase database = TestDatabase.create();

  @TempDir private Path folder = Path.of("");

  private record Output(int exit, String out, String err) {}

  @AfterEach
  void drop() {
    database.close();
  }

  private Output key(String... arguments) {
    return keyIn("--database-url=" + database.url(), arguments);
  }

  private static Output keyIn(String where, String... arguments) {
    var all = new ArrayList<>(List.of("key"));
    all.addAll(List.of(arguments));
    all.add(where);
    var out = new StringWriter();
    var err = new StringWriter();
    var exit =
        HapaxCommand.commandLine(Map.of())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(all.toArray(String[]::new));
    return new Output(exit, out.toString(), err.toString());
  }

  private ApiKey created(String... options) {
    var all = new ArrayList<>(List.of("create"));
    all.addAll(List.of(options));
    var output = key(all.toArray(String[]::new));
    assertThat(output.exit()).as(output.err()).isZero();
    return ApiKey.parse(output.out().strip());
  }

  @Test
  @DisplayName("given a new database, when a key is created, then only its hash is stored")
  void createsAndLists() {
    var key =
        created(
            "--principal=billing",
            "--role=worker",
            "--workspace=eu,us",
            "--queue=mail",
            "--grant=role=viewer workspace=*",
            "--expires=90d");

    assertThat(database.query("SELECT secret_hash FROM hapax.api_key"))
        .isEqualTo(key.secretHash().hex());
    var list = key("list");
    assertThat(list.out().lines().toList().get(1))
        .startsWith("billing    " + key.id() + "  live   ")
        .endsWith("role=worker workspace=eu,us queue=mail; role=viewer workspace=*");
    assertThat(list.out()).doesNotContain(key.secret());
  }

  @Test
  @DisplayName("given a key, when it is revoked twice, then the second call says when it was")
  void revokes() {
    var key = created("--principal=billing", "--role=viewer", "--workspace=*");

    assertThat(key("revoke", key.id()).out()).isEqualTo(key.id() + ": revoked\n");
    assertThat(key("revoke", "hpx_" + key.id()).out()).startsWith(key.id() + ": was revoked at 20");
    assertThat(key("list").out()).doesNotContain(key.id());
    assertThat(key("list", "--all").out()).contains(key.id() + "  revoked");
    assertThat(key("revoke", "nothing").err()).isEqualTo("hapax: no API key has the id nothing\n");
  }

  @Test
  @DisplayName("given a principal, when its key is rotated, then the old one expires later")
  void rotates() {
    var old = created("--principal=billing", "--role=operator", "--workspace=eu");
    var output = key("rotate", "billing", "--overlap=1h");

    var next = ApiKey.parse(output.out().strip());
    assertThat(next.id()).isNotEqualTo(old.id());
    assertThat(
            database.query(
                "SELECT string_agg(id || CASE WHEN expires_at IS NULL THEN ' stays'"
                    + " WHEN expires_at < now() + interval '1 hour 1 minute' THEN ' ends' END"
                    + " || grants::text, ';' ORDER BY created_at) FROM hapax.api_key"))
        .isEqualTo(
            old.id()
                + " ends{\"role=operator workspace=eu\"};"
                + next.id()
                + " stays{\"role=operator workspace=eu\"}");
    assertThat(key("rotate", "unknown").err())
        .isEqualTo("hapax: unknown has no live API key; create one with `hapax key create`\n");
  }

  @ParameterizedTest
  @DisplayName("given wrong options, when a key is created, then the error names them")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --role=root --workspace=eu | --role and --workspace: role must be one of viewer
          --role=worker | --role and --workspace: workspace must match
          --role=viewer --workspace=EU | --role and --workspace: workspace must match
          --grant=viewer | --grant: must be like
          --role=viewer --workspace=eu --expires=soon | --expires: must be a duration
          """)
  void rejects(String options, String error) {
    var all = new ArrayList<>(List.of("create", "--principal=billing"));
    all.addAll(List.of(options.split(" ")));
    var output = key(all.toArray(String[]::new));
    assertThat(output.exit()).isEqualTo(2);
    assertThat(output.err()).startsWith("hapax: " + error);
  }

  @Test
  @DisplayName("given no server, when a key is created, then the built-in database has it")
  void usesTheBuiltInDatabase() {
    var where = "--data-dir=" + folder;
    var create = keyIn(where, "create", "--principal=me", "--role=admin", "--workspace=*");
    assertThat(create.exit()).as(create.err()).isZero();
    assertThat(keyIn(where, "list").out()).contains(ApiKey.parse(create.out().strip()).id());
  }
}
