package dev.hapax.bootstrap.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.Empty;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import dev.hapax.bootstrap.cli.call.Operator.Said;
import dev.hapax.bootstrap.cli.call.WorkspaceOperator;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.Failure;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.PartFailure;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PartState;
import dev.hapax.v1.Payload;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.Task;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Parts of a code step, as commands show, settle and export them. */
class PartCommandsIT {
  private static final String ORDER =
      """
      {"name": "order", "version": "2", "steps": [
        {"name": "ask", "signal": {"type": "approved"}},
        {"name": "main", "code": {"queue": "orders", "lease": "60s",
          "part_retry": {"max_attempts": 2, "initial": "1ms", "max": "1ms"}}}]}
      """;

  @TempDir private Path folder = Path.of("");
  @RegisterExtension private final WorkspaceOperator operator = new WorkspaceOperator();
  private ManagedChannel channel = ManagedChannelBuilder.forTarget("127.0.0.1:1").build();

  @BeforeEach
  void define() throws IOException {
    channel.shutdownNow();
    channel = ManagedChannelBuilder.forTarget(operator.address()).usePlaintext().build();
    var file = Files.writeString(folder.resolve("order.json"), ORDER);
    var applied = operator.hapax("definition", "apply", file.toString());
    assertThat(applied.code()).as(applied.err()).isZero();
  }

  @AfterEach
  void disconnect() {
    channel.shutdownNow();
  }

  private Said run(String... arguments) {
    return operator.hapax("run", arguments);
  }

  private WorkerServiceGrpc.WorkerServiceBlockingStub worker() {
    return WorkerServiceGrpc.newBlockingStub(channel);
  }

  /** Starts a run, whose signal step ends with a signal. */
  private String start() throws InvalidProtocolBufferException {
    var started = StartRunResponse.newBuilder();
    JsonFormat.parser().merge(run("start", "order", "--input={\"n\":3}", "--json").out(), started);
    var id = started.getRun().getId();
    assertThat(run("signal", id, "--type=approved", "--payload=\"yes\"").code()).isZero();
    assertThat(run("signal", id, "--type=other", "--payload=1", "--signal-id=s").code()).isZero();
    return id;
  }

  private Task poll() {
    return worker()
        .pollTasks(
            PollTasksRequest.newBuilder()
                .setWorkspace(operator.workspace())
                .addQueues("orders")
                .setWorkerId("w")
                .build())
        .getTasks(0);
  }

  private void record(Task task, PartRecord... parts) {
    var answer =
        worker()
            .recordStep(
                RecordStepRequest.newBuilder()
                    .setWorkspace(operator.workspace())
                    .setClaim(task.getClaim())
                    .addAllParts(List.of(parts))
                    .build());
    assertThat(answer.hasParts()).isTrue();
  }

  private void fail(Task task, FailureKind kind, String part) {
    var answer =
        worker()
            .failTask(
                FailTaskRequest.newBuilder()
                    .setWorkspace(operator.workspace())
                    .setClaim(task.getClaim())
                    .setKind(kind)
                    .setFailure(Failure.newBuilder().setCode("LOST").setPart(part))
                    .build());
    assertThat(answer.hasFailed()).isTrue();
  }

  private static PartRecord.Builder part(String name) {
    return PartRecord.newBuilder().setName(name);
  }

  private static PartRecord begin(String name) {
    return part(name).setBegin(Empty.getDefaultInstance()).build();
  }

  private static PartRecord output(String name, String json) {
    return part(name)
        .setOutput(Payload.newBuilder().setJson(json))
        .setElapsed(Duration.newBuilder().setSeconds(41).setNanos(200_000_000))
        .build();
  }

  private static PartRecord failure(String name, int attempt) {
    return part(name)
        .setFailure(
            PartFailure.newBuilder()
                .setAttempt(attempt)
                .setFailure(
                    Failure.newBuilder()
                        .setCode("BUSY")
                        .setMessage("try later")
                        .setStack("at Model.call")))
        .build();
  }

  private Run get(String id) throws InvalidProtocolBufferException {
    var run = Run.newBuilder();
    JsonFormat.parser().merge(run("get", id, "--json").out(), run);
    return run.build();
  }

  /** A run that failed, since it is unknown whether the part took effect. */
  private String inDoubt() throws InvalidProtocolBufferException {
    var id = start();
    var task = poll();
    assertThat(task.getRun().getId()).isEqualTo(id);
    record(task, begin("pay"));
    fail(task, FailureKind.FAILURE_KIND_UNKNOWN_EFFECT, "pay");
    return id;
  }

  @Test
  @DisplayName("given parts, when steps and events are listed, then with state, attempt and time")
  void shown() throws IOException {
    var id = start();
    var task = poll();
    record(task, output("fetch", "1"), begin("pay"), failure("llm", 1));

    assertThat(run("steps", id).out())
        .containsPattern("\n {2}fetch +COMPLETED +1 .* 41s +1\n")
        .containsPattern("\n {2}pay +BEGUN +1 ")
        .containsPattern("\n {2}llm +RETRY +1 .* BUSY try later; retry ");
    assertThat(run("events", id).out())
        .contains("main recorded fetch · 41.2 s 1, by w", "main began pay, attempt 1, by w")
        .contains("main attempt 1 of llm failed: BUSY try later, retry at ");
    assertThat(run("steps", id, "--json").out()).contains("\"stack\":\"at Model.call\"");

    record(task, failure("llm", 2));
    assertThat(run("steps", id).out()).containsPattern("\n {2}llm +FAILED +2 .* BUSY try later\n");
  }

  @Test
  @DisplayName("given a part in doubt, when it is settled as complete, then its output is recorded")
  void completes() throws IOException {
    var id = inDoubt();
    assertThat(run("get", id).out())
        .containsPattern("failure +UNKNOWN_EFFECT")
        .containsPattern("failed part +pay\n");

    var settle =
        new String[] {
          "settle",
          id,
          "--part=pay",
          "--complete",
          "{\"receipt\":7}",
          "--state-patch={\"paid\":1}",
          "--reason=bank ticket 81",
          "--request-id=r"
        };
    var settled = run(settle);
    assertThat(settled.code()).as(settled.err()).isZero();
    assertThat(settled.out()).startsWith("run ").containsPattern("status +RUNNING\n");
    var version = get(id).getVersion();

    var again = run(settle);
    assertThat(again.code()).isZero();
    assertThat(again.out()).startsWith("already settled; current state:\n");
    assertThat(get(id).getVersion()).isEqualTo(version);
    assertThat(get(id).getState().getJson()).isEqualTo("{\"paid\":1}");
    assertThat(run("events", id).out())
        .contains("main settled pay as completed {\"receipt\":7}: bank ticket 81, by ");
    assertThat(poll().getRecordedList())
        .singleElement()
        .satisfies(pay -> assertThat(pay.getOutput().getJson()).isEqualTo("{\"receipt\":7}"));
  }

  @Test
  @DisplayName("given a failed step, then each verdict has its result")
  void verdicts() throws IOException {
    var completed = failed();
    assertThat(run("settle", completed, "--reason=seen", "--complete").code()).isZero();
    assertThat(get(completed).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);

    var skipped = failed();
    assertThat(run("settle", skipped, "--skip", "--reason=not needed").code()).isZero();
    assertThat(get(skipped).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(run("events", skipped).out()).contains("main settled as skipped: not needed");

    var gone = failed();
    assertThat(run("settle", gone, "--fail=DECLINED:no funds", "--reason=bank said so").code())
        .isZero();
    assertThat(get(gone).getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    assertThat(run("get", gone).out()).containsPattern("failure +DECLINED no funds\n");

    var repeated = failed();
    assertThat(run("settle", repeated, "--step=main", "--repeat", "--reason=no trace").code())
        .isZero();
    assertThat(poll().getRun().getId()).isEqualTo(repeated);
  }

  private String failed() throws InvalidProtocolBufferException {
    var id = start();
    fail(poll(), FailureKind.FAILURE_KIND_FINAL, "");
    return id;
  }

  @Test
  @DisplayName("given options that do not fit together, then nothing is settled")
  void refused() throws IOException {
    var id = inDoubt();
    var version = get(id).getVersion();

    for (var arguments :
        List.of(
            List.of("--reason=r"),
            List.of("--repeat"),
            List.of("--repeat", "--reason= "),
            List.of("--repeat", "--skip", "--reason=r"),
            List.of("--skip", "--part=pay", "--reason=r"),
            List.of("--repeat", "--state-patch={}", "--reason=r"),
            List.of("--fail=:no code", "--reason=r"),
            List.of("--reason=r", "--complete", "{"))) {
      var all = new ArrayList<>(List.of("settle", id));
      all.addAll(arguments);
      var said = run(all.toArray(String[]::new));
      assertThat(said.code()).as("%s: %s", arguments, said.err()).isEqualTo(2);
      assertThat(said.err()).as("%s", arguments).contains("Use `hapax run settle");
    }
    var other = run("settle", id, "--step=ask", "--repeat", "--reason=r");
    assertThat(other.code()).isEqualTo(1);
    assertThat(other.err()).contains("it is not the current step");
    assertThat(run("settle", id, "--repeat", "--reason=r", "--expected-version=1").code())
        .isEqualTo(1);
    assertThat(run("settle", "run_01h455vb4pex5vsknk084sn02q", "--repeat", "--reason=r").code())
        .isEqualTo(3);
    assertThat(run("settle", id, "--repeat", "--reason=r", "--server=127.0.0.1:1").err())
        .contains("with --request-id ");
    assertThat(get(id).getVersion()).isEqualTo(version);
  }

  private Task exported(String... arguments) throws InvalidProtocolBufferException {
    var said = run(arguments);
    assertThat(said.code()).as(said.err()).isZero();
    assertThat(said.err()).isEmpty();
    assertThat(said.lines()).hasSize(1);
    var task = Task.newBuilder();
    JsonFormat.parser().merge(said.out(), task);
    return task.build();
  }

  @Test
  @DisplayName("given a run, when it is exported, then the task is that of the next worker")
  void exports() throws IOException {
    var id = start();
    var task = poll();
    record(task, output("fetch", "[1,2]"), output("rank", "\"b\""));
    record(task, failure("llm", 1), begin("mail"), failure("llm", 2), begin("pay"));
    fail(task, FailureKind.FAILURE_KIND_UNKNOWN_EFFECT, "pay");
    assertThat(run("settle", id, "--part=pay", "--complete", "7", "--reason=seen").code()).isZero();
    var version = get(id).getVersion();

    var exported = exported("export", id);

    assertThat(get(id).getVersion()).as("it changes nothing").isEqualTo(version);
    var granted = poll();
    assertThat(exported.getRecordedList()).hasSize(3).isEqualTo(granted.getRecordedList());
    assertThat(exported.getOpenPartsList()).hasSize(2).isEqualTo(granted.getOpenPartsList());
    assertThat(exported.getSignalsList()).hasSize(1).isEqualTo(granted.getSignalsList());
    assertThat(exported.getSignalOutputsList())
        .hasSize(1)
        .isEqualTo(granted.getSignalOutputsList());
    assertThat(exported.getInput()).isEqualTo(granted.getInput());
    assertThat(exported.getState()).isEqualTo(granted.getState());
    assertThat(exported.getStep().getId()).isEqualTo(granted.getStep().getId());
    assertThat(exported.getStep().getQueue()).isEqualTo("orders");
    assertThat(exported.getRun().getId()).isEqualTo(id);
    assertThat(exported.getRun().hasInput()).isFalse();
    assertThat(exported.hasClaim()).isFalse();
  }

  @Test
  @DisplayName(
      "given a part that failed the run, when it is retried, then the export has its state")
  void exportsRetried() throws IOException {
    var id = start();
    var task = poll();
    record(task, failure("llm", 1));
    record(task, failure("llm", 2));
    fail(task, FailureKind.FAILURE_KIND_FINAL, "llm");

    assertThat(exported("export", id).getOpenParts(0).getState())
        .isEqualTo(PartState.PART_STATE_FAILED);
    assertThat(run("retry", id).code()).isZero();

    assertThat(exported("export", id).getOpenPartsList()).isEqualTo(poll().getOpenPartsList());
  }

  @Test
  @DisplayName("given filters, when runs are exported, then those that match and have a worker")
  void selects() throws IOException {
    var first = start();
    var held = poll();
    var second = start();
    var waiting = run("start", "order", "--json");
    assertThat(waiting.code()).isZero();

    assertThat(exported("export", first).getRun().getId())
        .isEqualTo(held.getRun().getId())
        .isEqualTo(first);
    var all = run("export", "--definition=order", "--status=running,waiting");
    assertThat(all.code()).isZero();
    assertThat(all.lines()).hasSize(2);
    assertThat(all.err()).contains(": no worker executes its current step\n").hasLineCount(1);
    assertThat(exported("export", "--definition=order", "--status=running", "--limit=1"))
        .satisfies(task -> assertThat(task.getRun().getId()).isEqualTo(second));
    assertThat(
            run("export", "--definition=order", "--definition-version=2", "--status=running")
                .lines())
        .hasSize(2);
    assertThat(run("export", "--definition=order", "--definition-version=1").err())
        .isEqualTo("hapax: no runs\n");
    assertThat(run("export").code()).isEqualTo(2);
    assertThat(run("export", first, "--definition=order").code()).isEqualTo(2);
    assertThat(run("export", first, "--status=running").code()).isEqualTo(2);
    var missing = run("export", "run_01h455vb4pex5vsknk084sn02q", first);
    assertThat(missing.code()).isEqualTo(1);
    assertThat(missing.lines()).hasSize(1);
  }
}
