package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.client.JanitorTerms;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The example in Python with a remote janitor: holders die, and each invoice is paid once. */
@Tag("fault") // kills
@Tag("long")
class PythonBillingIT {
  private static final Path EXAMPLES = Path.of("..", "examples");

  @TempDir private Path folder = Path.of("");

  @ParameterizedTest
  @CsvSource({"before,REVERT", "after,COMPLETE"})
  @DisplayName(
      "given a holder that dies before or after its transaction, then the invoice is paid once")
  void paysOnce(String pause, String verdict) throws IOException {
    Kit.PYTHON.prepareDatabase();
    // of its own: the log of a server says that a janitor whose test ended is late
    try (var deployment = Deployment.start();
        var scene = new KitScene(Kit.PYTHON, deployment, folder);
        var tables = TestDatabase.create()) {
      tables.execute(Files.readString(EXAMPLES.resolve(Path.of("sql", "billing.sql"))));
      tables.execute("INSERT INTO invoice (number, cents) VALUES ('I-17', 1250)");
      var terms = JanitorTerms.remote("payments").allClaimStates();
      scene
          .client()
          .lifecycles()
          .declare(terms.staleAfter(Duration.ofSeconds(1)).every(Duration.ofMillis(500)));
      scene
          .client()
          .lifecycles()
          .apply(Files.readString(EXAMPLES.resolve("lifecycles/invoice.json")));
      try (var holder = billing(scene, tables, Map.of("PAUSE", pause), "apply", "I-17", "1250")) {
        holder.awaitOutput(line -> line.startsWith("pauses " + pause));
        holder.kill9();
      }
      try (var janitor = billing(scene, tables, Map.of(), "janitor")) {
        janitor.awaitOutput(("I-17 " + verdict)::equals);
        // the verdict is printed before it is reported
        Condition.await("paid", () -> pay(scene, tables).contains("WrongStatus"));
      }
      assertThat(output(billing(scene, tables, Map.of(), "show", "I-17")))
          .containsExactly("paid, 1 payments");
    }
  }

  private static String pay(KitScene scene, TestDatabase tables) {
    return output(billing(scene, tables, Map.of(), "apply", "I-17", "1250")).getFirst();
  }

  private static List<String> output(HapaxProcess process) {
    try (process) {
      assertThat(process.awaitExit()).as("%s", process.errors()).isZero();
      return process.output();
    }
  }

  private static HapaxProcess billing(
      KitScene scene, TestDatabase tables, Map<String, String> more, String... command) {
    var arguments = new ArrayList<>(List.of(PostgresUrl.of(tables)));
    arguments.addAll(List.of(command));
    var environment = scene.environment(more);
    environment.put("BILLING_WORKSPACE", scene.workspace());
    return PythonKit.start("examples/billing.py", environment, arguments.toArray(String[]::new));
  }
}
