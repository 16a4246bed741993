package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.CodeStep;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RegisterDefinitionResponse;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.SignalHookResponse;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.SignalRunResponse;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.TaskStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TaskHooksTest {

  private final InMemoryHapax server = InMemoryHapax.start();
  private final Hapax hapax = Hapax.builder().channel(server.channel()).connect();
  private final List<Worker> workers = new ArrayList<>();

  @AfterEach
  void close() {
    workers.forEach(Worker::close);
    hapax.close();
    server.close();
  }

  private void define(StepDefinition... steps) {
    hapax.call(
        RegisterDefinitionRequest.newBuilder()
            .setName("job")
            .setVersion("1")
            .addAllSteps(List.of(steps))
            .build(),
        RegisterDefinitionResponse.getDefaultInstance());
  }

  private static StepDefinition task(String name) {
    return StepDefinition.newBuilder()
        .setName(name)
        .setTask(TaskStep.newBuilder().setQueue("work"))
        .build();
  }

  private static StepDefinition code() {
    return StepDefinition.newBuilder()
        .setName("main")
        .setCode(CodeStep.newBuilder().setQueue("work"))
        .build();
  }

  private void work(Handler handler) {
    workers.add(hapax.worker().queue("work", handler).start());
  }

  private String start() {
    return hapax
        .call(
            StartRunRequest.newBuilder()
                .setDefinition("job")
                .setIdempotencyKey(UUID.randomUUID().toString())
                .build(),
            StartRunResponse.getDefaultInstance())
        .getRun()
        .getId();
  }

  private dev.hapax.v1.Run run(String id) {
    return hapax
        .call(
            GetRunRequest.newBuilder().setRunId(id).build(), GetRunResponse.getDefaultInstance())
        .getRun();
  }

  private String result(String id) {
    Conditions.until(() -> run(id).getStatus() == RunStatus.RUN_STATUS_COMPLETED);
    return run(id).getOutput().getJson();
  }

  private static NewSignal text(String text) {
    return NewSignal.newBuilder()
        .setSignalId(text)
        .setType("note")
        .setPayload(Payload.newBuilder().setJson("\"" + text + "\""))
        .build();
  }

  private void signalRun(String id, String text) {
    hapax.call(
        SignalRunRequest.newBuilder().setRunId(id).setSignal(text(text)).build(),
        SignalRunResponse.getDefaultInstance());
    server.settle();
  }

  private void signalHook(String token, String text) {
    hapax.call(
        SignalHookRequest.newBuilder().setToken(token).setSignal(text(text)).build(),
        SignalHookResponse.getDefaultInstance());
    server.settle();
  }

  private static HookRequest token(String token) {
    return HookRequest.of(token).name("answers");
  }

  @Test
  @DisplayName("given two hooks, then each receives only the signals sent to its own token")
  void twoHooks() {
    define(code());
    work(
        task -> {
          TaskHook<String> a = task.hook(token("a"), Codec.jsonText());
          TaskHook<String> b = task.hook(token("b"), Codec.jsonText());
          return new Value.Json("[" + b.await() + "," + a.iterator().next() + "]");
        });
    String run = start();
    server.settle();

    signalRun(run, "to the run itself");
    signalHook("a", "to a");
    assertThat(run(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    signalHook("b", "to b");

    assertThat(result(run)).isEqualTo("[\"to b\",\"to a\"]");
    assertThat(run(run).toString()).doesNotContain("token");
  }

  @Test
  @DisplayName("given a token of another run, then the code gets its owner, and cannot await it")
  void conflict() {
    define(code());
    work(
        task -> {
          try (TaskHook<String> hook = task.hook(token("a"), Codec.jsonText())) {
            Optional<Owner> other = hook.conflict();
            if (other.isPresent()) {
              assertThatThrownBy(hook::await).isInstanceOf(HapaxException.HookConflict.class);
              return new Value.Json("\"" + other.get().runId() + "\"");
            }
            return new Value.Json(hook.await());
          }
        });
    String first = start();
    server.settle();

    String second = start();
    assertThat(result(second)).isEqualTo("\"" + first + "\"");
    signalHook("a", "go");

    assertThat(result(first)).isEqualTo("\"go\"");
    assertThatThrownBy(
            () ->
                hapax.call(
                    GetHookRequest.newBuilder().setToken("a").build(),
                    GetHookResponse.getDefaultInstance()))
        .as("the hook that was closed")
        .isInstanceOf(HapaxException.Refused.class);
  }

  @Test
  @DisplayName("given a hook of a name, then a wait for the name receives what is sent to it")
  void byName() {
    define(code());
    work(
        task -> {
          HookAnswer hook = task.createHook(token("a"));
          assertThat(hook.conflict()).isEmpty();
          return new Value.Json(
              task.awaitSignal(Wait.signal("answer", Codec.jsonText()).hook("answers")));
        });
    String run = start();
    server.settle();
    signalRun(run, "to the run itself");
    assertThat(run(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_WAITING);

    signalHook("a", "to a");

    assertThat(result(run)).isEqualTo("\"to a\"");
  }

  @Test
  @DisplayName("given a completed signal step, then a later task reads the payload by its name")
  void signalOutput() {
    define(
        StepDefinition.newBuilder()
            .setName("approval")
            .setSignal(SignalStep.newBuilder().setType("note"))
            .build(),
        task("first"),
        task("second"));
    work(
        task -> {
          assertThatThrownBy(() -> task.signalOutput("first", Codec.jsonText()))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessage("no earlier signal step is named first");
          String by = task.signalOutput("approval", Codec.jsonText());
          String before = task.previousOutput(Codec.jsonText());
          return new Value.Json("[\"" + task.stepName() + "\"," + by + "," + before + "]");
        });
    String run = start();
    signalRun(run, "by Ann");

    assertThat(result(run)).isEqualTo("[\"second\",\"by Ann\",[\"first\",\"by Ann\",\"by Ann\"]]");
  }
}
