package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.client.JanitorTerms;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Actions and remote janitors of each kit. */
class KitClaimIT {
  private static final String LIFECYCLE =
      """
      {"lifecycle": "invoice", "module": "shop", "status_types": ["draft", "sending", "sent"],
       "steps": [{"step_key": "send", "status": "draft",
         "claim_state": {"billing": ["sending", "draft"]}, "successful_state": {"billing": "sent"}}]}
      """;
  private static final String INVOICE = "\"lifecycle\": \"invoice\", \"entity_id\": \"I-17\"";

  /** Of its own: the log of a server says that a janitor whose test ended is late. */
  private static final Deployment DEPLOYMENT = Deployment.start();

  private static final Duration SHORT_LEASE = Duration.ofSeconds(2);

  @TempDir private Path folder = Path.of("");

  @AfterAll
  static void stop() {
    DEPLOYMENT.close();
  }

  private KitScene scene(Kit kit) throws IOException {
    return scene(kit, Duration.ofMinutes(1));
  }

  private KitScene scene(Kit kit, Duration lease) throws IOException {
    var scene = new KitScene(kit, DEPLOYMENT, folder);
    scene
        .client()
        .lifecycles()
        .declare(
            JanitorTerms.remote("shop", "sending").staleAfter(lease).every(Duration.ofMillis(500)));
    scene.client().lifecycles().apply(LIFECYCLE);
    return scene;
  }

  private static void create(KitProgram program) {
    assertThat(program.text("create_entity", INVOICE + ", \"status\": \"draft\""))
        .isEqualTo("draft");
  }

  private static String act(String work) {
    return "%s, \"step\": \"send\", \"requester\": \"billing\", \"work\": %s"
        .formatted(INVOICE, work);
  }

  private static String status(KitScene scene) {
    return scene.client().entities().get("invoice", "I-17").status();
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a holder, then another caller does not act; afterwards the step does not start again")
  void acts(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var holder = scene.program();
        var other = scene.program()) {
      create(holder);
      var held =
          holder.send("act", act("[{\"hold\": \"go\"}, {\"effect\": \"send\"}, {\"return\": 7}]"));
      holder.event("holds", "latch", "go");
      assertThat(status(scene)).isEqualTo("sending");
      assertThat(other.kind("act", act("[{\"effect\": \"send\"}]"))).isEqualTo("ClaimFailed");
      holder.open("go");
      assertThat(holder.value(held).getNumberValue()).isEqualTo(7);
      assertThat(status(scene)).isEqualTo("sent");
      assertThat(other.kind("act", act("[{\"effect\": \"send\"}]"))).isEqualTo("WrongStatus");
      var asGuest = act("[]").replace("billing", "guest");
      assertThat(other.kind("act", asGuest)).isEqualTo("NotAllowed");
      assertThat(scene.effects()).containsExactly("I-17");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given an action whose output is above 256 KiB, then the entity moves on all the same")
  void largeOutput(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var holder = scene.program()) {
      create(holder);
      var output = "x".repeat(300_000);
      var work = "[{\"effect\": \"send\"}, {\"return\": \"%s\"}]".formatted(output);
      assertThat(holder.text("act", act(work))).isEqualTo(output);
      assertThat(status(scene)).isEqualTo("sent");
      assertThat(scene.effects()).containsExactly("I-17");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given an action that fails, then the entity goes back, and the next action runs")
  void fails(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var program = scene.program()) {
      create(program);
      assertThat(program.kind("act", act("[{\"fail\": \"final\"}]"))).isEqualTo("FinalFailure");
      assertThat(status(scene)).isEqualTo("draft");
      assertThat(program.text("act", act("[{\"return\": \"sent\"}]"))).isEqualTo("sent");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault") // kills
  @DisplayName(
      "given a holder killed after its effect, then the janitor completes it; before, it reverts it")
  void recovers(Kit kit) throws IOException {
    try (var scene = scene(kit, SHORT_LEASE);
        var janitor = scene.program()) {
      janitor.text("janitor", "\"module\": \"shop\"");
      try (var early = scene.program()) {
        create(early);
        early.send("act", act("[{\"hold\": \"go\"}, {\"effect\": \"send\"}]"));
        early.event("holds", "latch", "go");
        early.process().kill9();
      }
      Condition.await("reverted", () -> status(scene).equals("draft"));
      try (var late = scene.program()) {
        late.send("act", act("[{\"effect\": \"send\"}, {\"hold\": \"go\"}]"));
        late.event("holds", "latch", "go");
        late.process().kill9();
      }
      Condition.await("completed", () -> status(scene).equals("sent"));
      assertThat(scene.effects()).containsExactly("I-17");
      janitor.process().terminate();
      assertThat(janitor.process().awaitExit()).isZero();
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault") // freezes
  @DisplayName(
      "given a holder that stood still, when the janitor reverted the entity, then the late one loses its claim")
  void late(Kit kit) throws IOException {
    try (var scene = scene(kit, SHORT_LEASE);
        var holder = scene.program();
        var janitor = scene.program()) {
      create(holder);
      var held = holder.send("act", act("[{\"hold\": \"go\"}, {\"return\": 7}]"));
      holder.event("holds", "latch", "go");
      holder.process().stop();
      janitor.text("janitor", "\"module\": \"shop\"");
      Condition.await("reverted", () -> status(scene).equals("draft"));
      holder.process().cont();
      holder.event("lost", "id", "I-17");
      holder.open("go");
      assertThat(holder.kind(held)).isEqualTo("ClaimLost");
      assertThat(status(scene)).isEqualTo("draft");
    }
  }
}
