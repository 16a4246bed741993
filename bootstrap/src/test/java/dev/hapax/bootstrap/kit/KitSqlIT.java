package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.client.HapaxException;
import dev.hapax.client.JanitorTerms;
import dev.hapax.testkit.postgres.TestDatabase;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Completions and intents of each kit in transactions; those of Java have tests of their own. */
@Tag("long")
class KitSqlIT {
  private final Deployment deployment = Deployment.shared();
  private final TestDatabase database = deployment.database();
  @TempDir private Path folder = Path.of("");

  private KitScene scene(Kit kit) throws IOException {
    var scene = new KitScene(kit, deployment, folder);
    kit.prepareDatabase();
    scene.define(Duration.ofSeconds(30));
    database.execute(
        """
        DROP TABLE IF EXISTS contract_effect;
        CREATE TABLE contract_effect (id text, fence bigint);
        INSERT INTO hapax.sql_grant VALUES (current_user, '%s',
          '{start_run,complete_action,complete_task,complete_operation}', now(), 'test',
          current_user::regrole);
        SELECT hapax.apply_sql_grants()"""
            .formatted(scene.workspace()));
    return scene;
  }

  private KitProgram program(KitScene scene) {
    return scene.program(Map.of("CONTRACT_DATABASE", PostgresUrl.of(database)));
  }

  private int effects() {
    return Integer.parseInt(database.query("SELECT count(*) FROM contract_effect"));
  }

  private static String once(String work) {
    return "\"operation\": \"shop/Charge\", \"request_id\": \"r-1\", \"wait_ms\": 20000, \"lease_ms\": 1000, \"work\": "
        + work;
  }

  private static String completed(String end) {
    return "[{\"complete_in_sql\": 7, \"end\": \"%s\"}, {\"return\": 7}]".formatted(end);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  @DisplayName(
      "given an operation completed in SQL, then its rows and its result are committed together, or neither is")
  void operation(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var program = program(scene)) {
      assertThat(program.kind("once", once(completed("rollback")))).isEqualTo("NotCommitted");
      assertThat(effects()).isZero();
      assertThat(program.ask("once", once(completed("commit"))).getNumberValue()).isEqualTo(7);
      assertThat(program.ask("once", once(completed("commit"))).getNumberValue()).isEqualTo(7);
      assertThat(effects()).isEqualTo(1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  @Tag("fault") // kills
  @DisplayName("given a holder that is killed before its commit, then the next one does the work")
  void killed(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var holder = program(scene);
        var other = program(scene)) {
      var holding =
          "[{\"complete_in_sql\": 1, \"hold\": \"go\", \"end\": \"commit\"}, {\"return\": 1}]";
      holder.send("once", once(holding));
      holder.event("holds", "latch", "go");
      holder.process().kill9();
      assertThat(other.ask("once", once(completed("commit"))).getNumberValue()).isEqualTo(7);
      assertThat(effects()).isEqualTo(1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  @DisplayName(
      "given a run started in SQL, when its step completes in SQL, then it has that output")
  void step(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var program = program(scene)) {
      scene.worker(program, completed("commit"));
      var run = program.text("start_in_sql", "\"definition\": \"case\"");
      Condition.await("the intent is taken", () -> isStarted(scene, run));
      var result = "\"run_id\": \"%s\", \"at_most_ms\": 30000".formatted(run);
      assertThat(program.ask("result", result).getNumberValue()).isEqualTo(7);
      assertThat(scene.ended(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
      assertThat(effects()).isEqualTo(1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  @DisplayName(
      "given a record whose body runs beside the handler, then its step is not completed in SQL,"
          + " and is by the next attempt")
  void beside(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var worker =
            scene.worker(
                program(scene),
                """
                [{"beside": [{"record": "slow", "work": [{"hold": "slow"}, {"return": 1}]}]},
                 {"hold": "go"}, {"complete_in_sql": 7, "end": "commit"}, {"return": 7}]
                """)) {
      var run = scene.start();
      worker.event("holds", "latch", "slow");
      worker.open("go");
      worker.event("ends");
      assertThat(effects()).isZero();
      worker.open("slow");
      assertThat(scene.ended(run).getOutput().getJson()).isEqualTo("7");
      assertThat(effects()).isEqualTo(1);
      assertThat(scene.step(run).getAttempt()).isGreaterThan(1);
      assertThat(worker.count("holds", "latch", "slow")).isEqualTo(1);
    }
  }

  private static boolean isStarted(KitScene scene, String run) {
    try {
      return scene.client().runs().get(run).id().equals(run);
    } catch (HapaxException.Refused _) {
      return false;
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  @DisplayName("given an action completed in SQL, then the entity has moved with its rows")
  void action(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var program = program(scene)) {
      scene.client().lifecycles().declare(JanitorTerms.hosted("shop", "sending"));
      scene
          .client()
          .lifecycles()
          .apply(
              """
              {"lifecycle": "invoice", "module": "shop", "status_types": ["draft", "sending", "sent"],
               "steps": [{"step_key": "send", "status": "draft",
                 "claim_state": ["sending", "draft"], "successful_state": "sent"}]}
              """);
      var invoice = "\"lifecycle\": \"invoice\", \"entity_id\": \"I-1\"";
      program.ask("create_entity", invoice + ", \"status\": \"draft\"");
      var act = invoice + ", \"step\": \"send\", \"requester\": \"billing\", \"work\": ";
      assertThat(program.kind("act", act + completed("rollback"))).isEqualTo("NotCommitted");
      assertThat(effects()).isZero();
      assertThat(program.ask("act", act + completed("commit")).getNumberValue()).isEqualTo(7);
      assertThat(scene.client().entities().get("invoice", "I-1").status()).isEqualTo("sent");
      assertThat(effects()).isEqualTo(1);
    }
  }
}
