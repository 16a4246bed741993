package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.Codec;
import dev.hapax.client.Definition;
import dev.hapax.client.Hapax;
import dev.hapax.client.HapaxException;
import dev.hapax.client.HookRequest;
import dev.hapax.client.Hooks;
import dev.hapax.client.Runs;
import dev.hapax.client.Value;
import dev.hapax.client.Worker;
import dev.hapax.examples.ProcessOrder;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The example, with a worker of the client library and a real server. */
class ProcessOrderIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String ORDER = "4711";
  private static final String TOKEN = "order/4711";
  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();
  private final Hapax hapax =
      Hapax.builder(Map.of()).channel(caller.channel()).workspace(caller.workspace()).connect();
  private final Runs runs = hapax.runs();
  private final Hooks hooks = hapax.hooks();
  private final ConcurrentLinkedQueue<String> charged = new ConcurrentLinkedQueue<>();
  private final ProcessOrder example =
      new ProcessOrder(hapax, (stepId, order) -> charged.add(stepId));
  private final Worker worker =
      hapax
          .worker()
          .step("orders", "rejecting", "process", example.rejecting())
          .step("orders", "adopting", "process", example.adopting())
          .step("orders", "inspecting", "process", example.inspecting())
          .step("orders", "signalling", "process", example.signalling())
          .step("orders", "superseding", "process", example.superseding())
          .start();

  @AfterEach
  void close() {
    worker.close();
    caller.close();
  }

  /** A run of this kind that owns the order and waits for its confirmation. */
  private String owner(String definition) {
    define(definition);
    var id = start(definition);
    Condition.await("it waits", () -> runs.get(id).status() == RunStatus.RUN_STATUS_WAITING);
    return id;
  }

  private void define(String definition) {
    hapax.definitions().register(Definition.of(definition, "1").code("process", "orders"));
  }

  private String start(String definition) {
    return runs.start(definition, options -> options.input(new Value.Json(ORDER))).run().id();
  }

  private String result(String runId) {
    return runs.result(runId, Codec.text(), PATIENCE);
  }

  private void confirm() {
    hooks.signal(TOKEN, "", new Value.Json("true"));
  }

  @Test
  @DisplayName("reject: the duplicate names the owner and charges nothing [H3]")
  void rejecting() {
    var owner = owner("rejecting");
    assertThat(result(start("rejecting"))).isEqualTo("duplicate of " + owner);
    confirm();
    assertThat(result(owner)).isEqualTo("processed");
    assertThat(charged).hasSize(1);
    assertThat(runs.get(owner).status()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName("the token is free for the next run of the order once the owner is through [H9]")
  void again() {
    var owner = owner("rejecting");
    confirm();
    assertThat(result(owner)).isEqualTo("processed");
    var next = owner("rejecting");
    confirm();
    assertThat(result(next)).isEqualTo("processed");
    assertThat(charged).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("adopt: both callers get the one result [H4]")
  void adopting() {
    var owner = owner("adopting");
    var duplicate = start("adopting");
    confirm();
    assertThat(result(duplicate)).isEqualTo("processed").isEqualTo(result(owner));
    assertThat(charged).hasSize(1);
  }

  @Test
  @DisplayName("inspect: the duplicate says where the owner stands [H5]")
  void inspecting() {
    var owner = owner("inspecting");
    assertThat(result(start("inspecting"))).isEqualTo(owner + " waits for its confirmation");
    assertThat(charged).isEmpty();
  }

  @Test
  @DisplayName("given SIGNAL_EXISTING, then the signal of the duplicate resumes the owner [H6]")
  void signalling() {
    var owner = owner("signalling");
    assertThat(result(start("signalling"))).isEqualTo("forwarded to " + owner);
    assertThat(result(owner)).isEqualTo("processed");
    assertThat(charged).hasSize(1);
  }

  @Test
  @DisplayName("supersede: the newest run wins, the old one is cancelled [H7]")
  void superseding() {
    var old = owner("superseding");
    var next = owner("superseding");
    confirm();
    assertThat(result(next)).isEqualTo("processed");
    assertThatThrownBy(() -> result(old)).isInstanceOf(HapaxException.RunCancelled.class);
    assertThat(runs.get(old).supersededBy()).isEqualTo(next);
    assertThat(charged).hasSize(1);
  }

  @Test
  @DisplayName("the start itself can decide, and makes no second run [H10]")
  void atTheStart() {
    define("rejecting");
    var hook = HookRequest.of("start/4711").retention(Duration.ofHours(1));
    var first = start(hook);
    assertThat(first.getCreated()).isTrue();
    for (var next : List.of(hook, hook.useExisting())) {
      var duplicate = start(next);
      assertThat(duplicate.getCreated()).isFalse();
      assertThat(duplicate.getOwner().getRunId()).isEqualTo(first.getRun().getId());
    }
    var newer = start(hook.supersede(first.getRun().getId()));
    assertThat(newer.getDisposition()).isEqualTo(Disposition.DISPOSITION_SUPERSEDED);
    assertThat(hooks.get("start/4711").runId()).isEqualTo(newer.getRun().getId());
  }

  private StartRunResponse start(HookRequest hook) {
    return runs.start("rejecting", options -> options.input(new Value.Json(ORDER)).hook(hook))
        .message();
  }
}
