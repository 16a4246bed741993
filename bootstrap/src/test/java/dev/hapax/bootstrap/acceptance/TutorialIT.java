package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.EntityServiceGrpc;
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

/** The programs of the tutorial, executed as their reader does. */
class TutorialIT {
  private static final String CHARGED = "the card is charged 30 EUR";
  private static final String RECEIPT = "{\"charged\":30}";
  private static final Duration LEASE_AND_SWEEP = Duration.ofMinutes(2);

  private static Deployment deployment;

  @TempDir private Path outbox = Path.of("");

  @BeforeAll
  static void start() {
    deployment =
        Deployment.configured(
            "--definitions=" + TutorialShop.FOLDER.resolve("definitions"),
            "--lifecycles=" + TutorialShop.FOLDER.resolve("lifecycles"));
  }

  @AfterAll
  static void stop() {
    deployment.close();
  }

  private Map<String, String> environment() {
    return Map.of("HAPAX_SERVER", deployment.target(), "OUTBOX", outbox.toString());
  }

  private HapaxProcess serving(TutorialShop shop, String command) {
    var process = shop.start(environment(), command);
    var _ = process.awaitOutput(line -> line.startsWith("works ") || line.startsWith("recovers "));
    return process;
  }

  /** What the command prints. */
  private List<String> output(TutorialShop shop, String... arguments) {
    try (var process = shop.start(environment(), arguments)) {
      assertThat(process.awaitExit()).as("errors: %s", process.errors()).isZero();
      return process.output();
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given a charged card, when the request is sent again, then its receipt is replayed")
  void operation(TutorialShop shop) throws IOException {
    shop.prepare();
    assertThat(output(shop, "charge", shop + "-1", "30")).containsExactly(CHARGED, RECEIPT);
    assertThat(output(shop, "charge", shop + "-1", "30")).containsExactly(RECEIPT);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given two triggers of an order, when both start it, then one run charges once")
  void runWithHook(TutorialShop shop) throws IOException {
    shop.prepare();
    try (var worker = serving(shop, "worker")) {
      var first = output(shop, "order", shop + "-2", "30", shop + "-click");
      var second = output(shop, "order", shop + "-2", "30", shop + "-office");
      assertThat(first).hasSize(1).isEqualTo(second);
      assertThat(first.getFirst()).startsWith("run_").endsWith(" {\"shipped\":true}");
      var _ = worker.awaitOutput(CHARGED::equals);
      assertThat(worker.output()).containsOnlyOnce(CHARGED);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // waits for a lease to expire
  @DisplayName("given a sent invoice, when its sender dies, then the janitor completes it")
  void claim(TutorialShop shop) throws IOException {
    shop.prepare();
    var crashing = new HashMap<>(environment());
    crashing.put("CRASH", "true");
    try (var sender = shop.start(crashing, "send", shop + "-3")) {
      assertThat(sender.awaitExit()).as("errors: %s", sender.errors()).isEqualTo(1);
      assertThat(sender.output()).isEmpty();
    }
    assertThat(output(shop, "send", shop + "-3").getFirst())
        .startsWith("another operation is already in progress: \"send\" by ");
    try (var janitor = serving(shop, "janitor")) {
      Condition.await(
          "the invoice is sent",
          LEASE_AND_SWEEP,
          () -> output(shop, "send", shop + "-3").equals(List.of("sent")));
      var _ = janitor.awaitOutput((shop + "-3 COMPLETE")::equals);
    }
    try (var sent = Files.list(outbox)) {
      assertThat(sent).hasSize(1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // waits for a lease to expire
  @DisplayName("given an unsent invoice, when its sender dies, then it is reverted and sent once")
  void reverted(TutorialShop shop) throws IOException {
    shop.prepare();
    var invoice = shop + "-4";
    var fence = beginAndDie(invoice);
    try (var janitor = serving(shop, "janitor")) {
      var _ = janitor.awaitOutput((invoice + " REVERT")::equals);
      Condition.await(
          "the invoice is sent",
          LEASE_AND_SWEEP,
          () -> output(shop, "send", invoice).equals(List.of("sent")));
    }
    assertThat(outbox.resolve(invoice + "-" + fence)).hasContent("void");
    try (var messages = Files.list(outbox)) {
      assertThat(messages).hasSize(2);
    }
  }

  /** The fence of a holder that never calls again. */
  private static long beginAndDie(String invoice) {
    var channel = TestAccess.channel(deployment.target()).build();
    try {
      var entities = EntityServiceGrpc.newBlockingStub(channel);
      var _ =
          entities.createEntity(
              CreateEntityRequest.newBuilder()
                  .setLifecycle("shop-invoice")
                  .setEntityId(invoice)
                  .setStatus("draft")
                  .build());
      return entities
          .beginAction(
              BeginActionRequest.newBuilder()
                  .setLifecycle("shop-invoice")
                  .setEntityId(invoice)
                  .setStepKey("send")
                  .setRequester("billing")
                  .setAttemptId(invoice)
                  .setLease(Caller.seconds(1))
                  .build())
          .getGranted()
          .getClaim()
          .getFence();
    } finally {
      channel.shutdownNow();
    }
  }
}
