package dev.hapax.bootstrap.cli.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.cli.HapaxCommand;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("long")
class KeyCommandsIT {
  private final TestDatabase database = TestDatabase.create();

  @TempDir private Path folder = Path.of("");

  private record Output(int exit, String out, String err) {}

  @BeforeEach
  void migrate() {
    Migrations.migrate(database.dataSource());
  }

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
    assertThat(list.out()).doesNotContain(key.secret()).contains("  -          role=worker");
    database.execute(
        "INSERT INTO hapax.api_key_use SELECT id, '2026-11-23 02:00Z' FROM hapax.api_key");
    assertThat(key("list").out()).contains("  2026-11-23T02:00:00Z  role=worker");
  }

  @Test
  @DisplayName("given a key, when it is revoked twice, then the second call says when it was")
  void revokes() {
    var key = created("--principal=billing", "--role=viewer", "--workspace=*");

    assertThat(key("revoke", key.id()).out()).isEqualTo(key.id() + ": revoked\n");
    assertThat(key("revoke", "hpx_" + key.id()).out()).startsWith(key.id() + ": was revoked at 20");
    assertThat(key("list").out()).doesNotContain(key.id());
    assertThat(key("list", "--all").out()).contains(key.id() + "  revoked");
    assertThat(key("revoke", "0123456789AB").err())
        .isEqualTo("hapax: no API key has the id 0123456789AB\n");
  }

  @Test
  @DisplayName("given a whole key in an argument, then it is revoked, and its secret never shown")
  void revokesAWholeKey() {
    var key = created("--principal=billing", "--role=viewer", "--workspace=*");
    var text = key.text();

    for (var arguments :
        List.of(
            List.of("revoke", text.substring(0, text.length() - 3) + "x"),
            List.of("revoke", text),
            List.of("revoke", key.secret()),
            List.of("revoke", key.id(), text),
            List.of("list", text))) {
      var output = key(arguments.toArray(String[]::new));
      assertThat(output.out() + output.err()).doesNotContain(key.secret().substring(0, 20));
    }
    assertThat(key("list", "--all").out()).contains(key.id() + "  revoked");
  }

  @Test
  @DisplayName("given keys of a later version, then they are listed as unreadable, and revoked")
  void unreadable() {
    var key = created("--principal=billing", "--role=viewer", "--workspace=*");
    database.execute("UPDATE hapax.api_key SET grants = ARRAY['role=auditor workspace=*']");

    assertThat(key("list").out())
        .contains(key.id() + "  unreadable  ")
        .contains("role must be one of viewer");
    var rotated = key("rotate", "billing");
    assertThat(rotated.exit()).isEqualTo(1);
    assertThat(rotated.err())
        .startsWith("hapax: API key %s cannot be rotated by this version".formatted(key.id()));
    assertThat(key("revoke", key.id()).out()).isEqualTo(key.id() + ": revoked\n");
    assertThat(key("list", "--all").out()).contains(key.id() + "  revoked");
  }

  @Test
  @DisplayName("given an older schema, when a key is revoked, then the schema does not change")
  void leavesTheSchema() {
    var key = created("--principal=billing", "--role=viewer", "--workspace=*");
    database.execute(
        "DELETE FROM hapax.flyway_schema_history"
            + " WHERE version = (SELECT max(version) FROM hapax.flyway_schema_history)");
    var history = "SELECT count(*) FROM hapax.flyway_schema_history";
    var before = database.query(history);
    var output = key("revoke", key.id());

    assertThat(output.exit()).isEqualTo(1);
    assertThat(output.err()).contains("run `hapax migrate`").contains("but this version needs");
    assertThat(database.query(history)).isEqualTo(before);
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

  @Test
  @DisplayName("given a key with a lifetime, when it is rotated, then the next one has the same")
  void inheritsTheLifetime() {
    created("--principal=billing", "--role=viewer", "--workspace=*", "--expires=90d");
    var lifetimes =
        "SELECT string_agg(coalesce(extract(day FROM expires_at - created_at)::text, 'never'), ','"
            + " ORDER BY created_at) FROM hapax.api_key";

    assertThat(key("rotate", "billing").exit()).isZero();
    assertThat(database.query(lifetimes)).isEqualTo("1,90");
    assertThat(key("rotate", "billing", "--expires=30d").exit()).isZero();
    assertThat(key("rotate", "billing", "--expires=never").exit()).isZero();
    assertThat(database.query(lifetimes)).isEqualTo("1,1,1,never");
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
          --workspace=eu | --workspace: needs --role
          --workspace=eu --grant=role=admin,workspace=* | --workspace: needs --role
          --queue=mail --grant=role=worker,workspace=eu | --queue: needs --role
          --definition=d --grant=role=viewer,workspace=eu | --definition: needs --role
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
