package dev.hapax.bootstrap.acceptance;

import static dev.hapax.bootstrap.acceptance.PartCaller.begin;
import static dev.hapax.bootstrap.acceptance.PartCaller.failure;
import static dev.hapax.bootstrap.acceptance.PartCaller.output;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Empty;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.ExplainReason;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.OpenPart;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PartState;
import dev.hapax.v1.RecordedStep;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SettleStepRequest;
import dev.hapax.v1.SettledCompletion;
import dev.hapax.v1.Step;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.StepStatus;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.Task;
import io.grpc.Status.Code;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Parts of code: retried, in doubt, settled, and read again. */
class PartsIT {
  private static final String RECEIPT = "{\"receipt\":7}";

  private final RunCaller caller = RunCaller.to(Deployment.shared().target());
  private final PartCaller parts = new PartCaller(caller);

  @BeforeEach
  void define() {
    parts.define("order");
  }

  @AfterEach
  void close() {
    caller.close();
  }

  private static void refused(ThrowingCallable call, Code code, ErrorReason reason) {
    var refusal = Refusal.of(call);
    assertThat(refusal.code()).isEqualTo(code);
    assertThat(refusal.reason()).isEqualTo(reason);
  }

  private ExplainReason explained(String runId, String... said) {
    var answer = caller.explain(runId);
    assertThat(String.join(" ", answer.getSentencesList())).contains(said);
    return answer.getReason();
  }

  @Test
  @Tag("P3")
  @DisplayName(
      "a failed part has its attempt, code, message and stack in the history and in its step"
          + " [workflows-P9]")
  void history() {
    var task = parts.begun("order");
    var failed = parts.report(task.getClaim(), failure("llm", 1)).getFailed();
    assertThat(failed.getAttempts()).isOne();
    assertThat(failed.hasRetryAt()).isTrue();
    assertThat(failed.getHold()).as("a short pause is waited for in place").isTrue();
    var again = parts.report(task.getClaim(), failure("llm", 1)).getFailed();
    assertThat(again.getAttempts()).as("the same report changes nothing").isOne();
    var gone = parts.report(task.getClaim(), failure("llm", 2)).getFailed();
    assertThat(gone.hasRetryAt()).as("the budget of two attempts is spent").isFalse();

    var run = task.getRun().getId();
    var events =
        caller.events(run).stream()
            .filter(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_PART_FAILED)
            .toList();
    assertThat(events)
        .extracting(event -> event.getPartFailed().getAttempt())
        .containsExactly(1, 2);
    assertThat(events.getLast().getPartFailed().getFailure().getStack()).isEqualTo("at Bank.pay");
    assertThat(events.getLast().getStepId()).isEqualTo(task.getStep().getId() + "/llm");
    var step = caller.steps(run).getLast();
    assertThat(step.getName()).isEqualTo("llm");
    assertThat(step.getStatus()).isEqualTo(StepStatus.STEP_STATUS_FAILED);
    assertThat(step.getAttempt()).isEqualTo(2);
    assertThat(step.getFailure().getCode()).isEqualTo("BUSY");
    assertThat(step.getFailure().getStack()).isEqualTo("at Bank.pay");
  }

  @Test
  @DisplayName(
      "a part that waits for its next attempt holds no worker, and is explained [workflows-P3]")
  void pause() {
    var task = parts.begun("order");
    var later = failure("llm", 1).toBuilder();
    later.getFailureBuilder().setRetryAfter(Caller.seconds(60));
    var failed = parts.report(task.getClaim(), later.build()).getFailed();
    assertThat(failed.getHold()).isFalse();
    assertThat(failed.getRetryIn().getSeconds()).isBetween(59L, 60L);
    var suspension =
        SuspendTaskRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setClaim(task.getClaim())
            .setDuration(failed.getRetryIn());
    assertThat(caller.worker().suspendTask(suspension.build()).hasSuspended()).isTrue();

    var run = task.getRun().getId();
    assertThat(explained(run, "Part \"llm\" failed in attempt 1 with BUSY", "is due at"))
        .isEqualTo(ExplainReason.EXPLAIN_REASON_TIMER);
    assertThat(parts.begun("order").getOpenPartsList()).as("another run").isEmpty();
  }

  @Test
  @DisplayName(
      "a step whose worker released it because its code does not fit is explained, with that worker"
          + " and the part [workflows-V10]")
  void released() {
    var task = parts.begun("order");
    var text = "records `pay` is not asked for before `charge`";
    var release =
        ReleaseTaskRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setClaim(task.getClaim())
            .setReason(Caller.failure("CODE_CHANGED").toBuilder().setMessage(text));
    assertThat(caller.worker().releaseTask(release.build()).hasReleased()).isTrue();
    assertThat(explained(task.getRun().getId(), "Worker \"worker\" released", text))
        .isEqualTo(ExplainReason.EXPLAIN_REASON_CODE_CHANGED);
  }

  @Test
  @Tag("P4")
  @DisplayName("RetryRun after a part failed for good repeats only that part [workflows-P10]")
  void retryRun() {
    var task = parts.begun("order");
    var claim = task.getClaim();
    var _ =
        parts.send(
            claim,
            failure("caught", 1, FailureKind.FAILURE_KIND_FINAL),
            output("done", "1"),
            failure("pay", 1, FailureKind.FAILURE_KIND_FINAL));
    var failure = caller.failure(claim, FailureKind.FAILURE_KIND_FINAL);
    failure.getFailureBuilder().setPart("pay");
    assertThat(caller.worker().failTask(failure.build()).hasFailed()).isTrue();
    var id = task.getRun().getId();
    assertThat(caller.get(id).getFailure().getPart()).isEqualTo("pay");
    var _ =
        caller
            .runs()
            .retryRun(
                RetryRunRequest.newBuilder().setWorkspace(caller.workspace()).setRunId(id).build());

    var next = caller.poll("worker");
    assertThat(next.getRecordedList()).extracting(RecordedStep::getName).containsExactly("done");
    assertThat(next.getOpenPartsList())
        .extracting(part -> part.getName() + " " + part.getState() + " " + part.getAttempts())
        .containsExactly("caught PART_STATE_FAILED 1", "pay PART_STATE_RETRY 0");
    var again = parts.report(next.getClaim(), failure("pay", 1)).getFailed();
    assertThat(again.hasRetryAt()).as("a new budget").isTrue();
  }

  /** A run whose part was begun by a worker that went away. */
  private Task inDoubt() {
    var task = parts.begun("order");
    assertThat(parts.report(task.getClaim(), begin("pay")).getBegun().getInDoubt()).isFalse();
    assertThat(parts.report(task.getClaim(), begin("pay")).getBegun().getInDoubt())
        .as("the answer was lost")
        .isFalse();
    var failed = caller.failure(task.getClaim(), FailureKind.FAILURE_KIND_RETRYABLE).build();
    assertThat(caller.worker().failTask(failed).hasFailed()).isTrue();
    var next = caller.poll("worker");
    assertThat(next.getOpenPartsList())
        .extracting(OpenPart::getState)
        .containsExactly(PartState.PART_STATE_BEGUN);
    assertThat(parts.report(next.getClaim(), begin("pay")).getBegun().getInDoubt()).isTrue();
    parts.doubt(next.getClaim(), "pay");
    return next;
  }

  @Test
  @Tag("P5")
  @Tag("P7")
  @Tag("P8")
  @DisplayName(
      "a doubtful part is shown, and settled once: the run continues with the settled output"
          + " [workflows-P11, workflows-P12]")
  void settled() {
    var id = inDoubt().getRun().getId();
    var run = caller.get(id);
    assertThat(run.getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
    assertThat(run.getFailure().getCode()).isEqualTo("UNKNOWN_EFFECT");
    assertThat(explained(id, "part \"pay\"", "SettleStep"))
        .isEqualTo(ExplainReason.EXPLAIN_REASON_UNKNOWN_EFFECT);
    var claims =
        EntityServiceGrpc.newBlockingStub(caller.caller().channel())
            .listClaims(ListClaimsRequest.newBuilder().setWorkspace(caller.workspace()).build())
            .getClaimsList();
    assertThat(claims)
        .singleElement()
        .satisfies(
            claim -> {
              assertThat(claim.getKind()).isEqualTo(ClaimKind.CLAIM_KIND_STEP_IN_DOUBT);
              assertThat(claim.getRunId()).isEqualTo(id);
            });

    var settlement =
        parts
            .settlement(id, "pay")
            .setComplete(SettledCompletion.newBuilder().setOutput(Caller.json(RECEIPT)))
            .setExpectedVersion(run.getVersion())
            .setRequestId("once")
            .build();
    assertThat(caller.runs().settleStep(settlement).getAlready()).isFalse();
    var twice = caller.runs().settleStep(settlement);
    assertThat(twice.getAlready()).isTrue();
    assertThat(twice.getRun().getStatus()).isEqualTo(RunStatus.RUN_STATUS_RUNNING);

    var next = caller.poll("worker");
    assertThat(next.getOpenPartsList()).isEmpty();
    assertThat(next.getRecordedList())
        .extracting(RecordedStep::getOutput)
        .containsExactly(Caller.json(RECEIPT));
    assertThat(caller.complete(next.getClaim(), "1").hasCompleted()).isTrue();
    assertThat(caller.events(id))
        .filteredOn(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_STEP_SETTLED)
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getStepSettled().getReason()).isEqualTo("bank ticket 81");
              assertThat(event.getStepSettled().getPart()).isEqualTo("pay");
              assertThat(event.getActor()).isEqualTo("client");
            });
  }

  @Test
  @DisplayName("a part that is settled as failed fails in the code, and repeated it begins anew")
  void otherVerdicts() {
    var id = inDoubt().getRun().getId();
    var _ =
        caller.runs().settleStep(parts.settlement(id, "pay").setFail(Caller.failure("NO")).build());
    var next = caller.poll("worker");
    assertThat(next.getOpenPartsList())
        .extracting(part -> part.getState() + " " + part.getFailure().getCode())
        .containsExactly("PART_STATE_FAILED NO");
    assertThat(caller.complete(next.getClaim(), "1").hasCompleted()).isTrue();

    var other = inDoubt().getRun().getId();
    var _ =
        caller
            .runs()
            .settleStep(
                parts.settlement(other, "pay").setRepeat(Empty.getDefaultInstance()).build());
    var repeated = caller.poll("worker");
    assertThat(parts.report(repeated.getClaim(), begin("pay")).getBegun().getInDoubt()).isFalse();
  }

  private record Settled(
      String name, Consumer<SettleStepRequest.Builder> verdict, RunStatus status) {}

  @TestFactory
  @DisplayName(
      "a step whose worker went silent is settled by complete, skip, fail and repeat"
          + " [workflows-P14]")
  Stream<DynamicTest> failedStep() {
    return Stream.of(
            new Settled(
                "complete",
                request ->
                    request.setComplete(
                        SettledCompletion.newBuilder().setOutput(Caller.json(RECEIPT))),
                RunStatus.RUN_STATUS_COMPLETED),
            new Settled(
                "skip",
                request -> request.setSkip(Empty.getDefaultInstance()),
                RunStatus.RUN_STATUS_COMPLETED),
            new Settled(
                "fail",
                request -> request.setFail(Caller.failure("NOT_PAID")),
                RunStatus.RUN_STATUS_FAILED),
            new Settled(
                "repeat",
                request -> request.setRepeat(Empty.getDefaultInstance()),
                RunStatus.RUN_STATUS_RUNNING))
        .map(settled -> DynamicTest.dynamicTest(settled.name(), () -> settle(settled)));
  }

  private void settle(Settled settled) {
    var work = RunCaller.work(Caller.millis(500));
    work.getRetryBuilder().setMaxAttempts(1);
    caller.define(
        settled.name(), StepDefinition.newBuilder().setName(PartCaller.STEP).setTask(work).build());
    var task = parts.begun(settled.name());
    var id = task.getRun().getId();
    assertThat(caller.awaitEnd(id).getFailure().getCode()).isEqualTo("LEASE_LOST");
    assertThat(caller.complete(task.getClaim(), "1").hasClaimLost()).isTrue();

    var request = parts.settlement(id, "");
    settled.verdict().accept(request);
    var run = caller.runs().settleStep(request.build()).getRun();
    assertThat(run.getStatus()).isEqualTo(settled.status());
    if (settled.name().equals("complete")) {
      assertThat(run.getOutput()).isEqualTo(Caller.json(RECEIPT));
    }
    if (settled.name().equals("fail")) {
      assertThat(run.getFailure().getCode()).isEqualTo("NOT_PAID");
    }
    if (settled.name().equals("repeat")) {
      assertThat(caller.complete(caller.poll("worker").getClaim(), "1").hasCompleted()).isTrue();
    }
  }

  @Test
  @Tag("P9")
  @DisplayName("what a worker holds, or what is no current step, is not settled [workflows-P17]")
  void notSettleable() {
    var task = parts.begun("order");
    var id = task.getRun().getId();
    var _ = parts.report(task.getClaim(), begin("pay"));
    var repeat = Empty.getDefaultInstance();
    for (var request :
        List.of(
            parts.settlement(id, "pay").setRepeat(repeat),
            parts.settlement(id, "").setRepeat(repeat),
            parts.settlement(id, "pay").setStepName("other").setRepeat(repeat))) {
      refused(
          () -> caller.runs().settleStep(request.build()),
          Code.FAILED_PRECONDITION,
          ErrorReason.ERROR_REASON_NOT_SETTLEABLE);
    }
    refused(
        () -> caller.runs().settleStep(parts.settlement(id, "pay").setSkip(repeat).build()),
        Code.INVALID_ARGUMENT,
        ErrorReason.ERROR_REASON_INVALID_FIELD);
    assertThat(explained(id, "worker")).isEqualTo(ExplainReason.EXPLAIN_REASON_WORKING);
  }

  @Test
  @DisplayName(
      "a client that knows no parts gets PART_IN_DOUBT before the body of a doubtful part runs")
  void earlierClient() {
    var task = parts.begun("order");
    var _ = parts.send(task.getClaim(), begin("pay"), output("done", "1"));
    var failed = caller.failure(task.getClaim(), FailureKind.FAILURE_KIND_RETRYABLE).build();
    assertThat(caller.worker().failTask(failed).hasFailed()).isTrue();
    var next = caller.poll("worker");
    assertThat(next.getMoreRecorded()).as("so that it reads first").isTrue();
    refused(
        () -> caller.worker().recordStep(parts.request(next.getClaim()).setName("pay").build()),
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_PART_IN_DOUBT);
  }

  @Test
  @DisplayName("a thousand records come with the grant, without another call [workflows-M1]")
  void manyRecords() {
    var task = parts.begun("order");
    IntStream.range(0, 10)
        .forEach(
            call ->
                assertThat(
                        parts
                            .send(
                                task.getClaim(),
                                IntStream.range(0, 100)
                                    .mapToObj(i -> output("part-" + call + "-" + i, "1"))
                                    .toArray(PartRecord[]::new))
                            .getParts()
                            .getResultsCount())
                    .isEqualTo(100));
    var failed = caller.failure(task.getClaim(), FailureKind.FAILURE_KIND_RETRYABLE).build();
    assertThat(caller.worker().failTask(failed).hasFailed()).isTrue();

    var next = caller.poll("worker");
    assertThat(next.getRecordedCount()).isEqualTo(1_000);
    assertThat(next.getMoreRecordedToken()).isEmpty();
    assertThat(next.getMoreRecorded()).isFalse();
    var version = caller.get(next.getRun().getId()).getVersion();
    assertThat(parts.records(next.getClaim(), "").getRecordedCount()).isEqualTo(1_000);
    assertThat(caller.get(next.getRun().getId()).getVersion()).as("a read").isEqualTo(version);
  }

  @Test
  @DisplayName("forty records of 100 KB come with the grant and at most four pages [workflows-M2]")
  void largeRecords() {
    var task = parts.begun("order");
    var large = '"' + "x".repeat(100_000) + '"';
    for (var i = 0; i < 40; i++) {
      var _ = parts.send(task.getClaim(), output("large-" + i, large));
    }
    var failed = caller.failure(task.getClaim(), FailureKind.FAILURE_KIND_RETRYABLE).build();
    assertThat(caller.worker().failTask(failed).hasFailed()).isTrue();

    var next = caller.poll("worker");
    var names = new HashSet<>(next.getRecordedList().stream().map(RecordedStep::getName).toList());
    assertThat(names).hasSizeBetween(9, 10);
    var pages = 0;
    for (var token = next.getMoreRecordedToken(); !token.isEmpty(); pages++) {
      var page = parts.records(next.getClaim(), token);
      page.getRecordedList().forEach(recorded -> names.add(recorded.getName()));
      token = page.getNextPageToken();
    }
    assertThat(pages).isLessThanOrEqualTo(4);
    assertThat(names).hasSize(40);
  }

  @Test
  @DisplayName("ListRecords with a lost claim says so [workflows-M6]")
  void lostClaim() {
    var task = parts.begun("order");
    assertThat(caller.complete(task.getClaim(), "1").hasCompleted()).isTrue();
    assertThat(parts.records(task.getClaim(), "").hasClaimLost()).isTrue();
    assertThat(parts.send(task.getClaim(), output("late", "1")).hasClaimLost()).isTrue();
  }

  @Test
  @DisplayName(
      "state travels with the next record: readers see it while the code runs"
          + " [workflows-L1, workflows-L3]")
  void state() {
    var task = parts.begun("order");
    var id = task.getRun().getId();
    for (var i = 1; i <= 3; i++) {
      var before = caller.get(id).getVersion();
      var waiting = caller.futures().awaitRun(caller.awaiting(id, before));
      var request =
          parts
              .request(task.getClaim(), output("row-" + i, "1"))
              .setStatePatch(Caller.json("{\"done\":" + i + "}"))
              .build();
      var _ = caller.worker().recordStep(request);
      assertThat(ConcurrentCalls.answer(waiting).getRun().getState())
          .isEqualTo(Caller.json("{\"done\":" + i + "}"));
      var version = caller.get(id).getVersion();
      var _ = caller.worker().recordStep(request);
      assertThat(caller.get(id).getVersion()).as("sent again").isEqualTo(version);
    }
    refused(
        () ->
            caller
                .worker()
                .recordStep(
                    parts
                        .request(task.getClaim(), begin("x"))
                        .setStatePatch(Caller.json("{}"))
                        .build()),
        Code.INVALID_ARGUMENT,
        ErrorReason.ERROR_REASON_INVALID_FIELD);
  }

  @Test
  @DisplayName("the time that a body took is the time of its step [workflows-L2]")
  void elapsed() {
    var task = parts.begun("order");
    var slow = output("slow", "1").toBuilder().setElapsed(Caller.seconds(40)).build();
    var _ = parts.send(task.getClaim(), slow);
    Step step = caller.steps(task.getRun().getId()).getLast();
    assertThat(step.getEndedAt().getSeconds() - step.getStartedAt().getSeconds()).isEqualTo(40);
  }

  @Test
  @Tag("P10")
  @DisplayName("a failure, a suspension and a completion carry reports: all or none are stored")
  void endsCarryReports() {
    var task = parts.begun("order");
    var wrong =
        FailTaskRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setClaim(task.getClaim())
            .setFailure(Caller.failure("X"))
            .addParts(output("a", "1"))
            .addParts(failure("b", 7))
            .build();
    refused(
        () -> caller.worker().failTask(wrong),
        Code.INVALID_ARGUMENT,
        ErrorReason.ERROR_REASON_INVALID_FIELD);
    assertThat(parts.records(task.getClaim(), "").getRecordedList()).isEmpty();

    var suspension =
        SuspendTaskRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setClaim(task.getClaim())
            .setDuration(Caller.millis(1))
            .addParts(output("a", "1"))
            .build();
    assertThat(caller.worker().suspendTask(suspension).hasSuspended()).isTrue();
    var next = caller.poll("worker");
    assertThat(next.getRecordedList()).extracting(RecordedStep::getName).containsExactly("a");
    var completion = caller.completion(next.getClaim()).addParts(output("b", "2")).build();
    assertThat(caller.worker().completeTask(completion).hasCompleted()).isTrue();
    assertThat(caller.steps(next.getRun().getId()))
        .extracting(Step::getName)
        .containsExactly(PartCaller.STEP, "a", "b");
  }
}
