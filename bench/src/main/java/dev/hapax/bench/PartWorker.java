package dev.hapax.bench;

import com.google.protobuf.Duration;
import com.google.protobuf.Empty;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CodeStep;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.Failure;
import dev.hapax.v1.ListRecordsRequest;
import dev.hapax.v1.PartFailure;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PartResult;
import dev.hapax.v1.Payload;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.Task;
import dev.hapax.v1.WorkerServiceGrpc;
import dev.hapax.v1.WorkerServiceGrpc.WorkerServiceBlockingStub;
import io.grpc.Channel;
import java.util.List;

/**
 * A worker that holds one code step and makes one call after the other, without a client library.
 */
final class PartWorker {
  private static final Duration LEASE = Duration.newBuilder().setSeconds(3_600).build();
  private static final Duration INSTANT = Duration.newBuilder().setNanos(1_000).build();
  private static final Duration PAUSE = Duration.newBuilder().setSeconds(60).build();

  private final Channel channel;
  private final WorkerServiceBlockingStub worker;
  private final String queue;
  private Claim claim = Claim.getDefaultInstance();

  PartWorker(Channel channel, String queue) {
    this.channel = channel;
    this.worker = WorkerServiceGrpc.newBlockingStub(channel);
    this.queue = queue;
    var step = CodeStep.newBuilder().setQueue(queue).setLease(LEASE);
    var request =
        RegisterDefinitionRequest.newBuilder()
            .setName(queue)
            .setVersion("1")
            .addSteps(StepDefinition.newBuilder().setName("main").setCode(step))
            .build();
    var _ = DefinitionServiceGrpc.newBlockingStub(channel).registerDefinition(request);
  }

  /** Starts a run and gets its task. */
  void start() {
    var request =
        StartRunRequest.newBuilder()
            .setDefinition(queue)
            .setIdempotencyKey(OperationLoad.newKey())
            .build();
    var _ = RunServiceGrpc.newBlockingStub(channel).startRun(request);
    var _ = poll();
  }

  Task poll() {
    var request =
        PollTasksRequest.newBuilder()
            .addQueues(queue)
            .setWorkerId("bench")
            .setAttemptId(OperationLoad.newKey())
            .setMaxTasks(1)
            .setWait(Duration.newBuilder().setSeconds(20))
            .build();
    var tasks = worker.pollTasks(request).getTasksList();
    check(tasks.size() == 1, tasks);
    claim = tasks.getFirst().getClaim();
    return tasks.getFirst();
  }

  List<PartResult> report(List<PartRecord> parts) {
    var answer =
        worker.recordStep(
            RecordStepRequest.newBuilder().setClaim(claim).addAllParts(parts).build());
    check(answer.hasParts(), answer);
    return answer.getParts().getResultsList();
  }

  void record(String part) {
    var result = report(List.of(output(part, OperationLoad.RESULT))).getFirst();
    check(result.hasRecorded() && !result.getRecorded().getAlready(), result);
  }

  void begin(String part) {
    var begin = PartRecord.newBuilder().setName(part).setBegin(Empty.getDefaultInstance()).build();
    var result = report(List.of(begin)).getFirst();
    check(result.hasBegun() && !result.getBegun().getInDoubt(), result);
  }

  /** Reports a first failure after which the worker waits in place. */
  void failInPlace(String part, String stack) {
    var result = report(List.of(failure(part, stack, INSTANT))).getFirst();
    check(result.getFailed().getHold(), result);
  }

  /** Reports a first failure after which the worker is to suspend. */
  void failForLong(String part) {
    var result = report(List.of(failure(part, "", PAUSE))).getFirst();
    check(result.getFailed().hasRetryAt() && !result.getFailed().getHold(), result);
  }

  /** Suspends for no time, with these reports, and gets the task again. */
  void suspend(PartRecord... parts) {
    var request =
        SuspendTaskRequest.newBuilder()
            .setClaim(claim)
            .setDuration(INSTANT)
            .addAllParts(List.of(parts))
            .build();
    var answer = worker.suspendTask(request);
    check(answer.hasSuspended(), answer);
    var _ = poll();
  }

  void release() {
    var request =
        ReleaseTaskRequest.newBuilder()
            .setClaim(claim)
            .setDelay(Duration.getDefaultInstance())
            .build();
    var answer = worker.releaseTask(request);
    check(answer.hasReleased(), answer);
  }

  /** Reads the records that did not fit into the task, and returns the number of calls. */
  int readPages(Task task) {
    var token = task.getMoreRecordedToken();
    var calls = 0;
    while (!token.isEmpty()) {
      var request = ListRecordsRequest.newBuilder().setClaim(claim).setPageToken(token).build();
      var page = worker.listRecords(request);
      check(!page.hasClaimLost(), page);
      token = page.getNextPageToken();
      calls++;
    }
    return calls;
  }

  static PartRecord output(String part, String json) {
    return PartRecord.newBuilder()
        .setName(part)
        .setOutput(Payload.newBuilder().setJson(json))
        .setElapsed(INSTANT)
        .build();
  }

  static PartRecord longFailure(String part) {
    return failure(part, "", PAUSE);
  }

  /** The record with which the client libraries keep the end of a wait. */
  static PartRecord waitEnd(String part) {
    var end = "\"2026-11-28T12:00:00.000001Z 1 1795867200000001\"";
    return PartRecord.newBuilder()
        .setName(part)
        .setOutput(Payload.newBuilder().setJson(end))
        .setIsWait(true)
        .build();
  }

  private static PartRecord failure(String part, String stack, Duration after) {
    var failure =
        Failure.newBuilder()
            .setCode("IOException")
            .setMessage("the bank answered 503 Service Unavailable")
            .setStack(stack);
    var report = PartFailure.newBuilder().setAttempt(1).setFailure(failure).setRetryAfter(after);
    return PartRecord.newBuilder().setName(part).setFailure(report).build();
  }

  private static void check(boolean expected, Object answer) {
    if (!expected) {
      throw new IllegalStateException("unexpected answer: " + answer);
    }
  }
}
