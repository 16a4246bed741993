package dev.hapax.client.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.HapaxClient;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.RunSignal;
import dev.hapax.client.hook.HookAnswer;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.hook.Hooks;
import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.client.run.RunDefinition;
import dev.hapax.client.run.RunRequest;
import dev.hapax.client.run.Runs;
import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SignalDisposition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkflowHooksTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final InMemoryHapax hapax = InMemoryHapax.start();
  private final Runs runs = HapaxClient.on(hapax.channel()).runs();
  private final Hooks hooks = HapaxClient.on(hapax.channel()).hooks();
  private final List<Worker> workers = new ArrayList<>();

  @AfterEach
  void close() {
    workers.forEach(Worker::close);
    hapax.close();
  }

  private void define(RunDefinition definition) {
    assertThat(HapaxClient.on(hapax.channel()).definitions().register(definition)).isTrue();
  }

  private WorkerBuilder worker() {
    return HapaxClient.on(hapax.channel()).newWorker();
  }

  private static RunSignal text(String text) {
    return RunSignal.of("").withPayload(PayloadCodec.text(), text);
  }

  @Test
  @DisplayName(
      "given two hooks, when signals are sent to their tokens, then each receives only its "
          + "own")
  void twoHooks() {
    define(RunDefinition.of("job", "1").code("main", "work"));
    workers.add(
        worker()
            .workflow(
                "work",
                "job",
                "main",
                PayloadCodec.text(),
                context -> {
                  WorkflowHook<String> a = context.hook(HookRequest.of("a"), PayloadCodec.text());
                  WorkflowHook<String> b = context.hook(HookRequest.of("b"), PayloadCodec.text());
                  return b.await() + ", " + a.await();
                })
            .start());
    String run = runs.start(RunRequest.of("job")).getRun().getId();
    hapax.settle();

    assertThat(runs.signal(run, text("to the run itself")))
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_BUFFERED);
    assertThat(hooks.signal("a", text("to a")).getDisposition())
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_BUFFERED);
    hapax.settle();
    assertThat(runs.get(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    assertThat(hooks.signal("b", text("to b")).getRunId()).isEqualTo(run);

    assertThat(runs.result(run, PayloadCodec.text(), SOON)).isEqualTo("to b, to a");
  }

  @Test
  @DisplayName(
      "given a task suspended on its hook, when a signal is sent to the token, then the task "
          + "continues")
  void suspendedForAHook() {
    define(RunDefinition.of("job", "1").task("main", "work"));
    workers.add(
        worker()
            .handleQueue(
                "work",
                task -> {
                  HookAnswer hook = task.createHook(HookRequest.of("a").withName("answers"));
                  assertThat(hook.conflict()).isEqualTo(Optional.empty());
                  Optional<Signal> signal =
                      task.signals().stream()
                          .filter(s -> s.getHook().equals(hook.fingerprint()))
                          .findFirst();
                  return signal.isPresent()
                      ? Completion.of(PayloadCodec.text(), signal.get().getHookName())
                          .consuming(signal.get())
                      : Suspension.untilSignal(AwaitedSignal.ofHook(hook.fingerprint()));
                })
            .start());
    String run = runs.start(RunRequest.of("job")).getRun().getId();
    hapax.settle();
    runs.signal(run, text("to the run itself"));
    hapax.settle();
    assertThat(runs.get(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_WAITING);

    hooks.signal("a", text("to a"));

    assertThat(runs.result(run, PayloadCodec.text(), SOON)).isEqualTo("answers");
  }

  @Test
  @DisplayName(
      "given a completed signal step, when a later task runs, then it reads the payload by "
          + "the step name")
  void signalOutput() {
    define(
        RunDefinition.of("job", "1")
            .signal("approval", AwaitedSignal.ofHookName("approvals"), null)
            .task("first", "work")
            .task("second", "work"));
    workers.add(
        worker()
            .handleQueue(
                "work",
                task -> {
                  assertThatThrownBy(() -> task.signalOutput("first", PayloadCodec.text()))
                      .isInstanceOf(IllegalArgumentException.class);
                  return Completion.of(
                      PayloadCodec.text(),
                      task.stepName() + task.signalOutput("approval", PayloadCodec.text()));
                })
            .start());
    String run =
        runs.start(RunRequest.of("job").withHook(HookRequest.of("a").withName("approvals")))
            .getRun()
            .getId();
    runs.signal(run, text(": the wrong way"));

    hooks.signal("a", text(": by Ann"));

    assertThat(runs.result(run, PayloadCodec.text(), SOON)).isEqualTo("second: by Ann");
  }

  @Test
  @DisplayName(
      "given a fingerprint or an empty filter, when a definition is built, then it is "
          + "rejected")
  void refused() {
    assertThatThrownBy(
            () ->
                RunDefinition.of("job", "1")
                    .signal("s", AwaitedSignal.ofHook("0123456789abcdef"), null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> AwaitedSignal.ofType("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> AwaitedSignal.ofHookName(""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
