package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.CuttingProxy;
import dev.hapax.bootstrap.acceptance.Deployment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operations of each kit. */
class KitOperationIT {
  private final Deployment deployment = Deployment.shared();
  @TempDir private Path folder = Path.of("");

  private KitScene scene(Kit kit) throws IOException {
    return new KitScene(kit, deployment, folder);
  }

  private static String once(String requestId, String more, String work) {
    return """
        "operation": "shop/Charge", "request_id": "%s", "input": {"amount": 30}, %s "work": %s
        """
        .formatted(requestId, more, work);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a result, when the request is sent again, then it is replayed, and no effect happens")
  void replays(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var program = scene.program()) {
      var work = "[{\"effect\": \"charge\"}, {\"return\": {\"receipt\": 7}}]";
      var first = program.ask("once", once("r-1", "", work));
      assertThat(first.getStructValue().getFieldsOrThrow("receipt").getNumberValue()).isEqualTo(7);
      assertThat(program.ask("once", once("r-1", "", work))).isEqualTo(first);
      assertThat(scene.effects()).containsExactly("r-1");

      var other = once("r-1", "", work).replace("30", "31");
      assertThat(program.kind("once", other)).isEqualTo("KeyReused");
      assertThat(scene.effects()).containsExactly("r-1");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given failures of each kind, then the next call works, is rejected, or waits for an operator")
  void fails(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var program = scene.program()) {
      assertThat(program.kind("once", once("r-1", "", "[{\"fail\": \"retryable\"}]")))
          .isEqualTo("RetryableFailure");
      assertThat(program.text("once", once("r-1", "", "[{\"return\": \"done\"}]")))
          .isEqualTo("done");
      assertThat(program.kind("once", once("r-2", "", "[{\"fail\": \"final\"}]")))
          .isEqualTo("FinalFailure");
      assertThat(program.kind("once", once("r-2", "", "[{\"effect\": \"never\"}]")))
          .isEqualTo("Rejected");
      assertThat(program.kind("once", once("r-3", "", "[{\"fail\": \"unknown_effect\"}]")))
          .isEqualTo("UnknownEffect");
      assertThat(program.kind("once", once("r-3", "", "[{\"effect\": \"never\"}]")))
          .isEqualTo("Indeterminate");
      assertThat(scene.effects()).isEmpty();
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // waits for leases
  @DisplayName(
      "given a holder that works longer than its lease, then duplicates wait for its result")
  void renews(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var holder = scene.program();
        var other = scene.program()) {
      var work = "[{\"hold\": \"go\"}, {\"effect\": \"charge\"}, {\"return\": 1}]";
      var held = holder.send("once", once("r-1", "\"lease_ms\": 4000,", work));
      holder.event("holds", "latch", "go");
      assertThat(other.kind("once", once("r-1", "", work))).isEqualTo("InProgress");
      // without renewals the lease would expire during this wait, and the other would hold
      assertThat(other.kind("once", once("r-1", "\"wait_ms\": 5000,", work)))
          .isEqualTo("InProgress");
      var waits = other.send("once", once("r-1", "\"wait_ms\": 20000,", work));
      holder.open("go");
      assertThat(holder.value(held).getNumberValue()).isEqualTo(1);
      assertThat(other.value(waits).getNumberValue()).isEqualTo(1);
      assertThat(scene.effects()).containsExactly("r-1");
      assertThat(other.count("begins")).isZero();
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault") // kills
  @DisplayName(
      "given a holder that is killed, when its lease expires, then a duplicate does the work with a higher fence")
  void killed(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var holder = scene.program();
        var other = scene.program()) {
      var work = "[{\"effect\": \"charge\"}, {\"hold\": \"go\"}]";
      holder.send("once", once("r-1", "\"lease_ms\": 1000,", work));
      holder.event("holds", "latch", "go");
      holder.process().kill9();
      var again = "[{\"effect\": \"charge\"}, {\"return\": 2}]";
      assertThat(other.ask("once", once("r-1", "\"wait_ms\": 20000,", again)).getNumberValue())
          .isEqualTo(2);
      assertThat(scene.effects()).containsExactly("r-1", "r-1");
      var fences = scene.ledger().stream().map(line -> Long.parseLong(line.get(1))).toList();
      assertThat(fences.get(1)).isGreaterThan(fences.get(0));
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault") // freezes
  @DisplayName(
      "given a holder that stood still, when another took over, then the late one gets the other's result")
  void late(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var holder = scene.program();
        var other = scene.program()) {
      var late = "[{\"hold\": \"go\"}, {\"return\": \"late\"}]";
      var held = holder.send("once", once("r-1", "\"lease_ms\": 1000,", late));
      holder.event("holds", "latch", "go");
      holder.process().stop();
      assertThat(
              other.text("once", once("r-1", "\"wait_ms\": 20000,", "[{\"return\": \"in time\"}]")))
          .isEqualTo("in time");
      holder.process().cont();
      holder.event("lost", "id", "r-1");
      holder.open("go");
      assertThat(holder.value(held).getStringValue()).isEqualTo("in time");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault") // cuts connections
  @DisplayName("given answers that are lost, then the work runs once, and its result is recorded")
  void lostAnswers(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var proxy = new CuttingProxy(deployment.target());
        var program = scene.program(proxy.target(), Map.of())) {
      proxy.cutNextAnswer();
      var work = "[{\"effect\": \"charge\"}, {\"hold\": \"go\"}, {\"return\": 1}]";
      var held = program.send("once", once("r-1", "", work));
      program.event("holds", "latch", "go");
      proxy.cutNextAnswer();
      program.open("go");
      assertThat(program.value(held).getNumberValue()).isEqualTo(1);
      assertThat(program.ask("once", once("r-1", "", work)).getNumberValue()).isEqualTo(1);
      assertThat(scene.effects()).containsExactly("r-1");
      assertThat(proxy.cuts()).isEqualTo(2);
    }
  }
}
