package dev.hapax.grpc.run;

import static dev.hapax.grpc.run.Service.completion;
import static dev.hapax.grpc.run.Service.json;
import static dev.hapax.grpc.run.Service.refusal;
import static dev.hapax.grpc.run.Service.start;
import static dev.hapax.grpc.run.Service.task;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import dev.hapax.grpc.call.Refusal;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.ExplainReason;
import dev.hapax.v1.ExplainRunRequest;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.ListDefinitionsRequest;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunsRequest;
import dev.hapax.v1.Step;
import dev.hapax.v1.StepStatus;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RunGrpcTest {
  private static final String UNKNOWN = "run_01k00000000000000000000000";
  private final Service service = new Service();

  @BeforeEach
  void define() {
    service.define("order", task("a"));
  }

  @AfterEach
  void close() {
    service.close();
  }

  @Test
  @DisplayName("given a run of one step, when its task completes, then it ends at version 4")
  void once() {
    var run = service.runs().startRun(start().putLabels("k", "v").build()).getRun();
    assertThat(run.getStatus()).isEqualTo(RunStatus.RUN_STATUS_PENDING);
    assertThat(run.getInput()).isEqualTo(json("{}"));
    assertThat(run.getState()).isEqualTo(json("{}"));
    assertThat(run.getDefinitionVersion()).isEqualTo("1");
    assertThat(run.hasStartAt()).isFalse();

    var completed =
        service
            .worker()
            .completeTask(
                completion(service.poll().getClaim())
                    .setOutput(json("[1]"))
                    .setStatePatch(json("{\"n\": 1.50}"))
                    .build())
            .getCompleted();

    assertThat(completed.getRunStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    var ended = service.runs().awaitRun(await(run.getId()).build()).getRun();
    assertThat(ended).isEqualTo(service.get(run.getId()));
    assertThat(ended.getVersion()).isEqualTo(4);
    assertThat(ended.getOutput()).isEqualTo(json("[1]"));
    assertThat(ended.getState()).isEqualTo(json("{\"n\":1.50}"));
    assertThat(ended.getLabelsMap()).containsEntry("k", "v");
    assertThat(ended.hasEndedAt()).isTrue();
    assertThat(ended.getCurrentStep()).isEqualTo("a");
  }

  private static AwaitRunRequest.Builder await(String runId) {
    return AwaitRunRequest.newBuilder().setRunId(runId).setWait(Durations.ZERO);
  }

  @Test
  @DisplayName(
      "given a used key, then it returns its run, for other values only with RETURN_EXISTING")
  void key() {
    var request =
        start()
            .setIdempotencyKey("key")
            .setInput(json("{\"a\":1,\"b\":2}"))
            .putLabels("k", "v")
            .setSignal(NewSignal.newBuilder().setSignalId("s").setPayload(json("[1]")));
    var first = service.runs().startRun(request.build());
    assertThat(first.getCreated()).isTrue();
    assertThat(first.getDisposition()).isEqualTo(Disposition.DISPOSITION_CREATED);

    var again =
        service.runs().startRun(request.clone().setInput(json("{\"b\":2.0, \"a\":1}")).build());
    assertThat(again.getCreated()).isFalse();
    assertThat(again.getDisposition()).isEqualTo(Disposition.DISPOSITION_EXISTING);
    var otherId = request.clone();
    otherId.getSignalBuilder().setSignalId("drawn anew");
    assertThat(service.runs().startRun(otherId.build()).getRun().getId())
        .isEqualTo(first.getRun().getId());
    assertThat(again.getRun()).isEqualTo(first.getRun());

    for (var other :
        List.of(
            request.clone().setInput(json("2")),
            request.clone().clearInput(),
            request.clone().setDefinitionVersion("1"),
            request.clone().setFingerprint(ByteString.copyFromUtf8("f")),
            request.clone().addHooks(StartRunRequest.Hook.newBuilder().setToken("t")),
            request.clone().clearSignal(),
            request
                .clone()
                .setSignal(NewSignal.newBuilder().setSignalId("s").setPayload(json("[2]"))),
            request.clone().putLabels("k", "w"))) {
      var refused = refusal(() -> service.runs().startRun(other.build()));
      assertThat(refused.code()).isEqualTo(Code.FAILED_PRECONDITION);
      assertThat(refused.reason()).isEqualTo("IDEMPOTENCY_KEY_REUSED");
      assertThat(refused.metadata()).containsEntry("run_id", first.getRun().getId());
      other.setOnKeyMismatch(OnKeyMismatch.ON_KEY_MISMATCH_RETURN_EXISTING);
      assertThat(service.runs().startRun(other.build()).getRun()).isEqualTo(first.getRun());
    }
    assertThat(mismatch(request.clone().setInput(json("2")).putLabels("k", "w")))
        .isEqualTo("input,labels");
    assertThat(mismatch(request.clone().clearSignal())).isEqualTo("signal");
    assertThat(mismatch(request.clone().setDefinitionVersion("1"))).isEqualTo("definition_version");
    var hook = StartRunRequest.Hook.newBuilder().setToken("t");
    assertThat(mismatch(request.clone().setDefinitionVersion("1").addHooks(hook)))
        .isEqualTo("definition_version,hooks");
    var keyed =
        AwaitRunRequest.newBuilder().setIdempotencyKey("key").setWait(Durations.ZERO).build();
    assertThat(service.runs().awaitRun(keyed).getRun()).isEqualTo(first.getRun());
  }

  private String mismatch(StartRunRequest.Builder other) {
    return refusal(() -> service.runs().startRun(other.build()))
        .metadata()
        .getOrDefault("mismatch", "");
  }

  @Test
  @DisplayName(
      "given an unpaired surrogate, then the fingerprint differs from that of a question mark")
  void unpairedSurrogates() {
    var request = start().setIdempotencyKey("key").setInput(json("[\"\\ud800\"]"));
    var _ = service.runs().startRun(request.build());

    for (var other : List.of("[\"?\"]", "[\"\\udbff\"]")) {
      assertThat(mismatch(request.clone().setInput(json(other)))).isEqualTo("input");
    }
  }

  @Test
  @DisplayName("given the caller's fingerprint, then only the input may differ")
  void fingerprint() {
    var request =
        start().setIdempotencyKey("key").setFingerprint(ByteString.copyFromUtf8("order 4711"));
    var first = service.runs().startRun(request.clone().setInput(json("{\"at\":1}")).build());

    var again = service.runs().startRun(request.clone().setInput(json("{\"at\":2}")).build());
    assertThat(again.getRun().getId()).isEqualTo(first.getRun().getId());
    assertThat(mismatch(request.clone().putLabels("k", "v"))).isEqualTo("labels");
    assertThat(mismatch(request.clone().setFingerprint(ByteString.copyFromUtf8("order 4712"))))
        .isEqualTo("fingerprint");
    assertInvalid("fingerprint", start().setFingerprint(ByteString.copyFrom(new byte[1_025])));
  }

  @Test
  @DisplayName(
      "given a cancelled run, when a corrected start takes its key, then its history, its"
          + " explanation and the errors of its controls name the new run [turns-R4]")
  void restartFailed() {
    var keyed = start().setIdempotencyKey("key");
    var earlier = service.runs().startRun(keyed.build()).getRun().getId();
    var cancel = CancelRunRequest.newBuilder().setRunId(earlier).build();
    assertThat(service.runs().cancelRun(cancel).getAlready()).isFalse();
    keyed.setInput(json("2")).setOnKeyMismatch(OnKeyMismatch.ON_KEY_MISMATCH_RESTART_FAILED);

    var answer = service.runs().startRun(keyed.build());

    assertThat(answer.getDisposition()).isEqualTo(Disposition.DISPOSITION_CREATED);
    assertThat(answer.getCreated()).isTrue();
    assertThat(answer.hasOwner()).isFalse();
    assertThat(answer.getSupersededRunIdsList()).containsExactly(earlier);
    var next = answer.getRun().getId();
    assertThat(service.get(earlier).getSupersededBy()).isEqualTo(next);
    var history = ListRunEventsRequest.newBuilder().setRunId(earlier).build();
    assertThat(service.runs().listRunEvents(history).getEventsList().getLast().getSuperseded())
        .isEqualTo(RunEvent.Superseded.newBuilder().setSupersededBy(next).setByKey(true).build());
    var retry = RetryRunRequest.newBuilder().setRunId(earlier).build();
    var refused = refusal(() -> service.runs().retryRun(retry));
    assertThat(refused.reason()).isEqualTo("ILLEGAL_TRANSITION");
    assertThat(refused.metadata())
        .containsEntry("status", "CANCELLED")
        .containsEntry("superseded_by", next);
    assertThat(service.runs().cancelRun(cancel).getAlready()).isTrue();
  }

  @Test
  @DisplayName("given a start with invalid fields, then the error names them")
  void refusedStarts() {
    var farAhead =
        Timestamp.newBuilder()
            .setSeconds(service.clock.instant().getEpochSecond() + 366 * 86_400)
            .build();
    assertInvalid("definition", StartRunRequest.newBuilder());
    assertInvalid("idempotency_key", start().setIdempotencyKey("x".repeat(256)));
    assertInvalid("key_retention", start().setKeyRetention(Duration.getDefaultInstance()));
    assertInvalid("input.json", start().setInput(json("{")));
    assertInvalid("labels", start().putLabels("", "x"));
    assertInvalid("start_at", start().setStartAt(farAhead));
    assertInvalid("on_key_mismatch", start().setOnKeyMismatchValue(99));
    assertInvalid(
        "on_key_mismatch", start().setOnKeyMismatch(OnKeyMismatch.ON_KEY_MISMATCH_RESTART_FAILED));
    assertInvalid("actor", start().setActor("\n"));
    var hook = StartRunRequest.Hook.newBuilder();
    assertInvalid("hooks[0].token", start().addHooks(hook));
    hook.setToken("a");
    assertInvalid("hooks[1].token", start().addHooks(hook).addHooks(hook));
    assertInvalid(
        "hooks[0].expected_owner", start().addHooks(hook.clone().setExpectedOwner(UNKNOWN)));
    var many = start();
    IntStream.range(0, 11).forEach(i -> many.addHooks(hook.clone().setToken("t" + i)));
    assertInvalid("hooks", many);
    assertInvalid("signal.type", start().setSignal(NewSignal.newBuilder().setType("\n")));
    var byToken = AwaitRunRequest.newBuilder().setToken("").build();
    assertThat(refusal(() -> service.runs().awaitRun(byToken)).fields()).containsExactly("token");
    assertThat(refusal(() -> service.runs().startRun(start().setDefinition("none").build())))
        .extracting(Refusal::code, Refusal::reason)
        .containsExactly(Code.NOT_FOUND, "DEFINITION_NOT_FOUND");
  }

  private void assertInvalid(String field, StartRunRequest.Builder request) {
    var refused = refusal(() -> service.runs().startRun(request.build()));
    assertThat(refused.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refused.reason()).isEqualTo("INVALID_FIELD");
    assertThat(refused.fields()).containsExactly(field);
  }

  @Test
  @DisplayName(
      "given a start with a signal, when it creates a run, then the answer says that it is buffered")
  void startSignal() {
    var signal = NewSignal.newBuilder().setSignalId("s");
    var hook =
        StartRunRequest.Hook.newBuilder()
            .setToken("order/1")
            .setOnConflict(OnConflict.ON_CONFLICT_SUPERSEDE);
    var request = start().setSignal(signal).addHooks(hook).build();
    var created = service.runs().startRun(request);
    assertThat(created.getDisposition()).isEqualTo(Disposition.DISPOSITION_CREATED);
    assertThat(created.getSignalDisposition())
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_BUFFERED);
    var superseded = service.runs().startRun(request);
    assertThat(superseded.getDisposition()).isEqualTo(Disposition.DISPOSITION_SUPERSEDED);
    assertThat(superseded.getSignalDisposition())
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_BUFFERED);
    assertThat(service.runs().startRun(start().build()).getSignalDisposition())
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_UNSPECIFIED);
  }

  @Test
  @DisplayName("given StartRuns, then each start has its own outcome")
  void many() {
    var results =
        service
            .runs()
            .startRuns(
                StartRunsRequest.newBuilder()
                    .addRequests(start().setIdempotencyKey("a").setInput(json("1")))
                    .addRequests(start().setDefinition("none"))
                    .addRequests(start().setDefinition(""))
                    .addRequests(start().setWorkspace("other"))
                    .addRequests(start().setIdempotencyKey("a").setInput(json("1")))
                    .build())
            .getResultsList();
    assertThat(results.get(0).getResponse().getCreated()).isTrue();
    assertThat(results.get(0).getResponse().getRun().hasInput()).isFalse();
    assertThat(results.get(1).getError().getCode()).isEqualTo(Code.NOT_FOUND.value());
    assertThat(results.get(2).getError().getMessage()).isEqualTo("definition is required");
    assertThat(results.get(3).getError().getMessage()).startsWith("workspace ");
    assertThat(results.get(4).getResponse().getRun().getId())
        .isEqualTo(results.get(0).getResponse().getRun().getId());
    assertThat(
            refusal(() -> service.runs().startRuns(StartRunsRequest.getDefaultInstance())).fields())
        .containsExactly("requests");
  }

  @Test
  @DisplayName("given an unknown run, then every rpc answers NOT_FOUND and names it")
  void notFound() {
    var runs = service.runs();
    for (var id : List.of(UNKNOWN, "order-17")) {
      assertNotFound(id, () -> service.get(id));
      assertNotFound(id, () -> runs.awaitRun(await(id).build()));
      assertNotFound(
          id, () -> runs.explainRun(ExplainRunRequest.newBuilder().setRunId(id).build()));
      assertNotFound(id, () -> runs.listSteps(ListStepsRequest.newBuilder().setRunId(id).build()));
      assertNotFound(
          id, () -> runs.listRunEvents(ListRunEventsRequest.newBuilder().setRunId(id).build()));
      assertNotFound(id, () -> runs.cancelRun(CancelRunRequest.newBuilder().setRunId(id).build()));
      assertNotFound(id, () -> runs.retryRun(RetryRunRequest.newBuilder().setRunId(id).build()));
      assertNotFound(
          id,
          () ->
              runs.signalRun(
                  SignalRunRequest.newBuilder()
                      .setRunId(id)
                      .setSignal(NewSignal.getDefaultInstance())
                      .build()));
    }
    assertNotFound(
        "no such run",
        () -> runs.awaitRun(AwaitRunRequest.newBuilder().setIdempotencyKey("none").build()));
  }

  private static void assertNotFound(
      String named, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    var refused = refusal(call);
    assertThat(refused.code()).isEqualTo(Code.NOT_FOUND);
    assertThat(refused.reason()).isEqualTo("RUN_NOT_FOUND");
    assertThat(refused.message()).contains(named);
  }

  @Test
  @DisplayName("given a conflicting version or status, then the error of a control call names it")
  void steering() {
    var id = service.started().getId();
    var cancel = CancelRunRequest.newBuilder().setRunId(id);
    var moved =
        refusal(() -> service.runs().cancelRun(cancel.clone().setExpectedVersion(7).build()));
    assertThat(moved.code()).isEqualTo(Code.ABORTED);
    assertThat(moved.reason()).isEqualTo("CONCURRENCY_ERROR");
    assertThat(moved.metadata()).containsEntry("version", "1");
    var pause = PauseRunRequest.newBuilder().setRunId(id).build();
    var pending = refusal(() -> service.runs().pauseRun(pause));
    assertThat(pending.reason()).isEqualTo("ILLEGAL_TRANSITION");
    assertThat(pending.message()).isEqualTo(id + " is PENDING and cannot be paused");
    assertThat(pending.metadata()).containsEntry("status", "PENDING");

    var cancelled =
        service.runs().cancelRun(cancel.setReason("why").setActor("me").build()).getRun();
    assertThat(cancelled.getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    var signal =
        SignalRunRequest.newBuilder()
            .setRunId(id)
            .setSignal(NewSignal.getDefaultInstance())
            .build();
    var ended = refusal(() -> service.runs().signalRun(signal));
    assertThat(ended.reason()).isEqualTo("RUN_ENDED");
    assertThat(ended.metadata()).containsEntry("status", "CANCELLED");
    var last = events(id).getLast();
    assertThat(last.getType()).isEqualTo(RunEventType.RUN_EVENT_TYPE_CANCELLED);
    assertThat(last.getActor()).isEqualTo("me");
    assertThat(last.getCancelled().getReason()).isEqualTo("why");
  }

  private List<RunEvent> events(String id) {
    return service
        .runs()
        .listRunEvents(ListRunEventsRequest.newBuilder().setRunId(id).build())
        .getEventsList();
  }

  @Test
  @DisplayName("given runs, events and steps, then they are listed page by page")
  void pages() {
    service.define("order2", task("a"), task("b"), task("c"));
    var ids = new ArrayList<String>();
    for (var i = 0; i < 5; i++) {
      service.timer.advance(java.time.Duration.ofSeconds(1));
      ids.addFirst(
          service.runs().startRun(start().setDefinition("order2").build()).getRun().getId());
    }
    var request = ListRunsRequest.newBuilder().addDefinitions("order2").setPageSize(2);
    var listed = new ArrayList<String>();
    do {
      var page = service.runs().listRuns(request.build());
      page.getRunsList().stream().map(Run::getId).forEach(listed::add);
      assertThat(page.getRunsList()).noneMatch(Run::hasInput);
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    assertThat(listed).isEqualTo(ids);

    var task = service.poll();
    var _ = service.worker().completeTask(completion(task.getClaim()).build());
    var id = task.getRun().getId();
    var steps = ListStepsRequest.newBuilder().setRunId(id).setPageSize(2);
    var first = service.runs().listSteps(steps.build());
    var second = service.runs().listSteps(steps.setPageToken(first.getNextPageToken()).build());
    assertThat(first.getStepsList())
        .extracting(Step::getStatus)
        .containsExactly(StepStatus.STEP_STATUS_COMPLETED, StepStatus.STEP_STATUS_PENDING);
    assertThat(first.getStepsList())
        .extracting(Step::getId)
        .doesNotContain("")
        .doesNotHaveDuplicates();
    assertThat(second.getStepsList()).extracting(Step::getName).containsExactly("c");
    assertThat(second.getSteps(0).getId()).isEmpty();
    assertThat(second.getNextPageToken()).isEmpty();

    var events = ListRunEventsRequest.newBuilder().setRunId(id).setPageSize(2);
    var early = service.runs().listRunEvents(events.build());
    var late = service.runs().listRunEvents(events.setPageToken(early.getNextPageToken()).build());
    assertThat(early.getEventsList()).extracting(RunEvent::getVersion).containsExactly(1L, 2L);
    assertThat(late.getEventsList()).extracting(RunEvent::getVersion).containsExactly(3L);
    assertThat(late.getNextPageToken()).isEmpty();
    assertThat(
            refusal(() -> service.runs().listRunEvents(events.setPageToken("x").build())).fields())
        .containsExactly("page_token");
  }

  @Test
  @DisplayName("given definitions, then they are registered once and listed, the latest first")
  void definitions() {
    var same =
        RegisterDefinitionRequest.newBuilder().setName("order").setVersion("1").addSteps(task("a"));
    assertThat(service.definitions().registerDefinition(same.build()).getAlready()).isTrue();
    var different =
        refusal(() -> service.definitions().registerDefinition(same.addSteps(task("b")).build()));
    assertThat(different.code()).isEqualTo(Code.ALREADY_EXISTS);
    assertThat(different.reason()).isEqualTo("DEFINITION_EXISTS");
    service.timer.advance(java.time.Duration.ofSeconds(1));
    var _ = service.definitions().registerDefinition(same.setVersion("2").build());

    var get = GetDefinitionRequest.newBuilder().setName("order");
    assertThat(service.definitions().getDefinition(get.build()).getDefinition().getVersion())
        .isEqualTo("2");
    assertThat(
            service
                .definitions()
                .getDefinition(get.setVersion("1").build())
                .getDefinition()
                .getStepsList())
        .containsExactly(task("a"));
    assertThat(
            refusal(() -> service.definitions().getDefinition(get.setVersion("3").build()))
                .reason())
        .isEqualTo("DEFINITION_NOT_FOUND");
    var list = ListDefinitionsRequest.newBuilder().setPageSize(1);
    var first = service.definitions().listDefinitions(list.build());
    var second =
        service.definitions().listDefinitions(list.setPageToken(first.getNextPageToken()).build());
    assertThat(first.getDefinitions(0).getVersion()).isEqualTo("2");
    assertThat(first.getDefinitions(0).getStepsCount()).isZero();
    assertThat(second.getDefinitions(0).getVersion()).isEqualTo("1");
    assertThat(second.getNextPageToken()).isEmpty();
  }

  @Test
  @DisplayName("given AwaitRun, then it ends with the run, or when the caller cancels")
  void await() throws Exception {
    var id = service.started().getId();
    var stub = RunServiceGrpc.newFutureStub(service.channel);
    var request = await(id).setWait(Duration.newBuilder().setSeconds(30)).build();
    var byDefault = stub.awaitRun(request.toBuilder().clearWait().build());
    assertThat(service.places.size()).isEqualTo(1);
    byDefault.cancel(true);
    var gone = stub.awaitRun(request);
    var ended = stub.awaitRun(request);
    assertThat(service.places.size()).isEqualTo(2);
    gone.cancel(true);
    assertThat(service.places.size()).isEqualTo(1);
    var _ = service.worker().completeTask(completion(service.poll().getClaim()).build());
    assertThat(ended.get(10, TimeUnit.SECONDS).getRun().getVersion()).isEqualTo(4);
    assertThat(service.places.size()).isZero();
  }

  @Test
  @DisplayName("given a run that does not progress, then ExplainRun says why")
  void explain() {
    var request = ExplainRunRequest.newBuilder().setRunId(service.started().getId()).build();
    var explained = service.runs().explainRun(request);
    assertThat(explained.getReason()).isEqualTo(ExplainReason.EXPLAIN_REASON_NO_WORKER);
    assertThat(explained.getSentencesList()).isNotEmpty();
  }
}
