package dev.hapax.bootstrap.cli.intent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.cli.call.Operator;
import dev.hapax.bootstrap.cli.call.Operator.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Grants of roles, and intents, at the command line. */
class IntentCommandsIT {
  private static final String ASK =
      """
      {"name": "ask", "version": "1", "steps": [{"name": "ask", "signal": {"type": "approved"}}]}
      """;
  private static final String ROLE = "cli_shop_" + ProcessHandle.current().pid();
  private static final String SHOP = "shop";

  @TempDir private Path folder = Path.of("");
  private final Operator operator;

  IntentCommandsIT() throws Exception {
    operator = new Operator();
  }

  @BeforeEach
  void define() throws IOException {
    var file = Files.writeString(folder.resolve("definition.json"), ASK);
    assertThat(operator.hapax(SHOP, "definition", "apply", file.toString()).code()).isZero();
    operator.database().execute("CREATE ROLE " + ROLE);
  }

  @AfterEach
  void stop() {
    operator.database().execute("DROP OWNED BY %1$s; DROP ROLE %1$s".formatted(ROLE));
    operator.close();
  }

  private Said sql(String... arguments) {
    var all =
        Stream.concat(
            Stream.of("sql", arguments[0], "--database-url=" + operator.database().url()),
            Arrays.stream(arguments).skip(1));
    return operator.hapax(SHOP, all.toArray(String[]::new));
  }

  private String post(String call) {
    return operator.database().query("SELECT hapax.%s".formatted(call));
  }

  @Test
  @Tag("D7")
  @DisplayName("given a role, when it is granted and revoked, then it may post in between")
  void grants() {
    var granted = sql("grant", ROLE, "--verb=start_run,cancel_run");
    assertThat(granted.code()).as(granted.err()).isZero();
    assertThat(granted.lines().getLast()).contains(ROLE, SHOP, "start_run,cancel_run");
    assertThat(mayCall("start_run")).isEqualTo("true");
    assertThat(mayCall("signal_run")).isEqualTo("false");
    assertThat(mayCall("ticket")).isEqualTo("true");
    assertThat(sql("revoke", ROLE).code()).isZero();
    assertThat(mayCall("start_run")).isEqualTo("false");
    assertThat(sql("revoke", ROLE).code()).isEqualTo(1);
    var unknown = sql("grant", "nobody_has_this");
    assertThat(unknown.code()).isEqualTo(1);
    assertThat(unknown.err()).contains("has no role nobody_has_this");
    assertThat(sql("grant", ROLE, "--verb=fly").code()).isEqualTo(2);
  }

  private String mayCall(String function) {
    return operator
        .database()
        .query(
            "SELECT has_function_privilege('%s', oid, 'EXECUTE')::text FROM pg_proc WHERE proname = '%s'"
                .formatted(ROLE, function));
  }

  @Test
  @Tag("D8")
  @DisplayName("given intents, then commands show what became of them")
  void intents() {
    // the user of the database is a superuser, and so a member of the role
    assertThat(sql("grant", ROLE).code()).isZero();
    var run = post("start_run('shop', 'ask')");
    var taken = operator.hapax(SHOP, "intent", "await", run);
    assertThat(taken.code()).as(taken.err()).isZero();
    assertThat(taken.out()).contains("outcome", "CREATED", run);
    var failed = operator.hapax(SHOP, "intent", "await", post("start_run('shop', 'nothing')"));
    assertThat(failed.code()).isEqualTo(4);
    assertThat(failed.out()).contains("DEFINITION_NOT_FOUND", "no definition \"nothing\"");
    assertThat(operator.hapax(SHOP, "intent", "list", "--failed").out())
        .contains("DEFINITION_NOT_FOUND");
    assertThat(operator.hapax(SHOP, "intent", "list").err()).contains("no intents");
    assertThat(operator.hapax(SHOP, "intent", "await", "intent_01h455vb4pex5vsknk084sn02q").code())
        .isEqualTo(3);
    assertThat(operator.hapax(SHOP, "intent", "await", run, "--json").out())
        .contains("\"started\"");
  }
}
