package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.Payload;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.SignalRunResponse;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A workflow on the server of the test kit, from its start to its end. */
@Timeout(60)
class WorkflowOnServerTest {

  private final InMemoryHapax server = InMemoryHapax.start();
  private final Hapax hapax = Hapax.builder().channel(server.channel()).connect();
  private final List<String> effects = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    hapax.close();
    server.close();
  }

  private dev.hapax.v1.Run run(String id) {
    return hapax
        .call(
            GetRunRequest.newBuilder().setRunId(id).build(), GetRunResponse.getDefaultInstance())
        .getRun();
  }

  private String effect(String id) {
    effects.add(id.substring(id.indexOf('/') + 1));
    return "\"" + id.substring(id.indexOf('/') + 1) + "\"";
  }

  @Test
  @DisplayName("given parts, a map, waits and a signal, then each effect happens once")
  void workflow() {
    Workflow<String, String> order =
        Workflow.of(
            "order",
            "orders",
            Codec.jsonText(),
            Codec.jsonText(),
            (task, input) -> {
              task.record("pay", Codec.jsonText(), this::effect);
              List<String> labels =
                  task.map(
                      "item",
                      List.of("a", "b"),
                      item -> item,
                      (branch, item) -> branch.record("label", Codec.jsonText(), this::effect));
              task.patchState("labels", new Value.Json("" + labels.size()));
              task.suspend("cooling-off", Duration.ofDays(14));
              String by = task.awaitSignal("approved", Codec.jsonText());
              boolean late =
                  task.awaitSignal(Wait.signal("extra", Codec.jsonText()), Duration.ofDays(1))
                      .isEmpty();
              return "{\"input\":" + input + ",\"by\":" + by + ",\"late\":" + late + "}";
            });
    try (Worker worker = hapax.worker().add(order).start()) {
      String id =
          hapax
              .call(
                  StartRunRequest.newBuilder()
                      .setDefinition("order")
                      .setIdempotencyKey("key")
                      .setInput(Payload.newBuilder().setJson("4711"))
                      .build(),
                  StartRunResponse.getDefaultInstance())
              .getRun()
              .getId();
      server.settle();
      assertThat(run(id).getStatus()).isEqualTo(RunStatus.RUN_STATUS_WAITING);
      server.advance(Duration.ofDays(14));
      server.settle();
      hapax.call(
          SignalRunRequest.newBuilder()
              .setRunId(id)
              .setSignal(
                  NewSignal.newBuilder()
                      .setSignalId("s")
                      .setType("approved")
                      .setPayload(Payload.newBuilder().setJson("\"ann\"")))
              .build(),
          SignalRunResponse.getDefaultInstance());
      server.settle();
      server.advance(Duration.ofDays(2));
      Conditions.until(() -> run(id).getStatus() == RunStatus.RUN_STATUS_COMPLETED);
      assertThat(run(id).getOutput().getJson())
          .isEqualTo("{\"input\":4711,\"by\":\"ann\",\"late\":true}");
      assertThat(run(id).getState().getJson()).isEqualTo("{\"labels\":2}");
      assertThat(worker.isAway()).isFalse();
    }
    assertThat(effects).containsExactlyInAnyOrder("pay", "item/a/label", "item/b/label");
  }
}
