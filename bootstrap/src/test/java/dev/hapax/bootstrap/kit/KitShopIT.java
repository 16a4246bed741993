package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.TestAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The shop of the tutorial, written with each kit. */
@Tag("long")
class KitShopIT {
  private static final Path TUTORIAL = Path.of("..", "examples", "tutorial").toAbsolutePath();
  private static final Duration LEASE_AND_SWEEP = Duration.ofMinutes(2);
  private static final String CHARGED = "the card is charged 30 EUR";
  private static final String RECEIPT = "{\"charged\":30}";

  private static Deployment deployment = Deployment.shared();
  @TempDir private Path outbox = Path.of("");

  @BeforeAll
  static void start() {
    deployment =
        Deployment.configured(
            "--definitions=" + TUTORIAL.resolve("definitions"),
            "--lifecycles=" + TUTORIAL.resolve("lifecycles"));
  }

  @AfterAll
  static void stop() {
    deployment.close();
  }

  private Map<String, String> environment() {
    var environment = new HashMap<>(TestAccess.variables(deployment.target()));
    environment.put("OUTBOX", outbox.toString());
    return environment;
  }

  /** What the command prints. */
  private List<String> output(Kit kit, String... arguments) {
    try (var process = kit.shop(environment(), arguments)) {
      assertThat(process.awaitExit()).as("errors: %s", process.errors()).isZero();
      return process.output();
    }
  }

  private HapaxProcess serving(Kit kit, String command) {
    var process = kit.shop(environment(), command);
    process.awaitOutput(line -> line.startsWith("works ") || line.startsWith("recovers "));
    return process;
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given two triggers of an order, when both start it, then one run charges once")
  void order(Kit kit) throws IOException {
    kit.prepare();
    try (var worker = serving(kit, "worker")) {
      var first = output(kit, "order", kit + "-2", "30", kit + "-click");
      assertThat(output(kit, "order", kit + "-2", "30", kit + "-office")).isEqualTo(first);
      assertThat(first.getFirst()).startsWith("run_").endsWith(" {\"shipped\":true}");
      worker.awaitOutput(CHARGED::equals);
      assertThat(worker.output()).containsOnlyOnce(CHARGED);
    }
    assertThat(output(kit, "charge", kit + "-1", "30")).containsExactly(CHARGED, RECEIPT);
    assertThat(output(kit, "charge", kit + "-1", "30")).containsExactly(RECEIPT);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // waits for a lease to expire
  @DisplayName("given a sent invoice, when its sender dies, then the janitor completes it")
  void invoice(Kit kit) throws IOException {
    kit.prepare();
    var crashing = environment();
    crashing.put("CRASH", "true");
    try (var sender = kit.shop(crashing, "send", kit + "-3")) {
      assertThat(sender.awaitExit()).as("errors: %s", sender.errors()).isEqualTo(1);
    }
    assertThat(output(kit, "send", kit + "-3").getFirst())
        .startsWith("another operation is already in progress");
    try (var janitor = serving(kit, "janitor")) {
      Condition.await(
          "the invoice is sent",
          LEASE_AND_SWEEP,
          () -> output(kit, "send", kit + "-3").equals(List.of("sent")));
      janitor.awaitOutput((kit + "-3 COMPLETE")::equals);
    }
    try (var sent = Files.list(outbox)) {
      assertThat(sent).hasSize(1);
    }
  }
}
