package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.ListDefinitionsRequest;
import dev.hapax.v1.ListDefinitionsResponse;
import dev.hapax.v1.RunEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent with a tool, whose process is killed, and whose model fails. */
@Tag("fault") // kills
@Tag("long")
class TypeScriptAgentIT {
  private static final int TURNS = 50;
  private static final int PAYMENTS = 25;
  private static final int KILLS = 5;

  @TempDir private Path folder = Path.of("");

  private static HapaxProcess worker(KitScene scene) {
    return TypeScriptKit.start("tests/agent.js", scene.environment(Map.of()));
  }

  private static boolean isDefined(KitScene scene) {
    var request = ListDefinitionsRequest.newBuilder().setWorkspace(scene.workspace()).build();
    return scene
            .client()
            .call(request, ListDefinitionsResponse.getDefaultInstance())
            .getDefinitionsCount()
        > 0;
  }

  @Test
  @DisplayName(
      "given an agent of 50 calls of a model, of which 15 % fail, when its worker is killed 5 times,"
          + " then each answer is recorded once, and each tool acts once for its arguments"
          + " [workflows-O1, workflows-O3]")
  void killed() throws IOException {
    try (var scene = new KitScene(Kit.TYPESCRIPT, Deployment.shared(), folder)) {
      var worker = worker(scene);
      try {
        Condition.await("the worker registers its workflow", () -> isDefined(scene));
        var run = scene.client().runs().start("agent").run().id();
        for (var kill = 1; kill <= KILLS; kill++) {
          var enough = PAYMENTS * kill / (KILLS + 1);
          Condition.await("the agent pays", () -> scene.ledger().size() >= enough);
          worker.kill9();
          worker.close();
          worker = worker(scene);
        }
        assertThat(scene.ended(run).getOutput().getJson()).isEqualTo("\"all is paid\"");
        assertThat(scene.ledger())
            .containsExactlyElementsOf(
                IntStream.range(0, PAYMENTS)
                    .mapToObj(order -> List.of("pay", String.valueOf(order)))
                    .toList());
        var names =
            scene.events(run).stream()
                .filter(RunEvent::hasStepRecorded)
                .map(event -> event.getStepRecorded().getName())
                .toList();
        assertThat(names).doesNotHaveDuplicates();
        assertThat(names).filteredOn(name -> name.startsWith("llm")).hasSize(TURNS);
        assertThat(names).filteredOn(name -> name.startsWith("tool/pay/")).hasSize(PAYMENTS);
      } finally {
        worker.close();
      }
    }
  }
}
