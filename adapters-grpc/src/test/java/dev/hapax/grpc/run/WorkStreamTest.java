package dev.hapax.grpc.run;

import static dev.hapax.grpc.run.Service.completion;
import static dev.hapax.grpc.run.Service.json;
import static dev.hapax.grpc.run.Service.polling;
import static dev.hapax.grpc.run.Service.start;
import static dev.hapax.grpc.run.Service.task;
import static dev.hapax.grpc.run.WorkerStream.open;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import dev.hapax.grpc.call.Refusal;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.Failure;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.SignalFilter;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.Task;
import dev.hapax.v1.TaskStep;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse.Answer;
import dev.hapax.v1.WorkResponse.Answer.OutcomeCase;
import io.grpc.Status;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WorkStreamTest {
  private final Service service = new Service();

  @BeforeEach
  void define() {
    service.define("order", task("a"), task("b"));
  }

  @AfterEach
  void close() {
    service.close();
  }

  private WorkerStream worker(int credit) {
    return WorkerStream.on(service.channel)
        .send(WorkRequest.newBuilder().setOpen(open("s", "")).setCredit(credit).setClock(7));
  }

  private static WorkRequest.Builder call(WorkRequest.Call.Builder... calls) {
    var message = WorkRequest.newBuilder();
    for (var call : calls) {
      message.addCalls(call);
    }
    return message;
  }

  private static WorkRequest.Call.Builder complete(int callId, CompleteTaskRequest.Builder task) {
    return WorkRequest.Call.newBuilder().setCallId(callId).setCompleteTask(task);
  }

  @Test
  @DisplayName(
      "given a waiting worker, when a run starts, then it gets the task with its own clock")
  void push() {
    var worker = worker(10);

    var run = service.started();

    assertThat(worker.awaitTasks(1))
        .extracting(t -> t.getRun().getId())
        .containsExactly(run.getId());
    var message = worker.messages().getLast();
    assertThat(message.getClock()).isEqualTo(7);
    assertThat(message.getResumeToken()).isNotEmpty();
    assertThat(Duration.ofSeconds(message.getTasks(0).getLeaseRemaining().getSeconds()))
        .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(40));
    assertThat(worker.messages().getFirst().getSerializedSize()).as("the first message").isZero();
  }

  @Test
  @DisplayName("given credit, then the worker gets at most as many tasks")
  void credit() {
    IntStream.range(0, 5).forEach(_ -> service.started());
    var worker = worker(2);
    assertThat(worker.awaitTasks(2)).hasSize(2);
    assertThat(service.worker().pollTasks(polling().build()).getTasksCount()).isOne();

    worker.send(WorkRequest.newBuilder().setCredit(5));

    assertThat(worker.awaitTasks(4)).hasSize(4);
    service.started();
    service.started();
    service.started();
    service.started();
    assertThat(worker.awaitTasks(7)).hasSize(7);
    assertThat(service.poll().getStep().getName()).isEqualTo("a");
  }

  @Test
  @DisplayName("given calls in one message, then one message has the answers of their rpcs")
  void calls() {
    IntStream.range(0, 6).forEach(_ -> service.started());
    var worker = worker(6);
    var tasks = worker.awaitTasks(6);
    var failure = Failure.newBuilder().setCode("DECLINED");

    worker.send(
        call(
            complete(1, completion(claim(tasks, 0)).setWantNext(true)),
            WorkRequest.Call.newBuilder()
                .setCallId(2)
                .setFailTask(
                    FailTaskRequest.newBuilder().setClaim(claim(tasks, 1)).setFailure(failure)),
            WorkRequest.Call.newBuilder()
                .setCallId(3)
                .setSuspendTask(
                    SuspendTaskRequest.newBuilder()
                        .setClaim(claim(tasks, 2))
                        .setSignalFilter(SignalFilter.newBuilder().setType("paid"))),
            WorkRequest.Call.newBuilder()
                .setCallId(4)
                .setReleaseTask(ReleaseTaskRequest.newBuilder().setClaim(claim(tasks, 3))),
            WorkRequest.Call.newBuilder()
                .setCallId(5)
                .setHeartbeatTasks(HeartbeatTasksRequest.newBuilder().addClaims(claim(tasks, 4))),
            WorkRequest.Call.newBuilder()
                .setCallId(6)
                .setRecordStep(
                    RecordStepRequest.newBuilder()
                        .setClaim(claim(tasks, 5))
                        .setName("x")
                        .setOutput(json("1")))));

    var answers = worker.awaitAnswers(6);
    assertThat(answers).extracting(Answer::getCallId).containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6);
    assertThat(answer(answers, 1).getCompleteTask().getCompleted().getNext().getStep().getName())
        .isEqualTo("b");
    assertThat(answer(answers, 2).getFailTask().getFailed().hasRetryAt()).isTrue();
    assertThat(answer(answers, 3).getSuspendTask().hasSuspended()).isTrue();
    assertThat(answer(answers, 4).getReleaseTask().hasReleased()).isTrue();
    assertThat(answer(answers, 5).getHeartbeatTasks().getResults(0).hasRenewed()).isTrue();
    assertThat(answer(answers, 6).getRecordStep().getRecorded().getOutput()).isEqualTo(json("1"));
  }

  private static Claim claim(java.util.List<Task> tasks, int index) {
    return tasks.get(index).getClaim();
  }

  private static Answer answer(java.util.List<Answer> answers, int callId) {
    return answers.stream().filter(each -> each.getCallId() == callId).findFirst().orElseThrow();
  }

  @Test
  @DisplayName(
      "given a failed call, then it has the error of its rpc, and the others their answers")
  void error() {
    service.started();
    var worker = worker(1);
    var claim = worker.awaitTasks(1).getFirst().getClaim();
    var bad = completion(claim).setOutput(json("{")).build();
    var refusal = Service.refusal(() -> service.worker().completeTask(bad));

    worker.send(
        call(
            complete(1, bad.toBuilder()),
            WorkRequest.Call.newBuilder().setCallId(2),
            complete(3, completion(claim))));

    var answers = worker.awaitAnswers(3);
    var error = answer(answers, 1).getError();
    assertThat(Refusal.of(error)).isEqualTo(refusal);
    assertThat(answer(answers, 2).getError().getMessage()).isEqualTo("request is required");
    assertThat(answer(answers, 3).getOutcomeCase()).isEqualTo(OutcomeCase.COMPLETE_TASK);
    assertThat(worker.hasEnded()).isFalse();
  }

  @Test
  @DisplayName("given a cancelled stream, then its polls end and their places are free")
  void cut() {
    var worker = worker(10);
    worker.await(() -> service.places.size() == 2);

    worker.cut();

    assertThat(service.places.size()).isZero();
    service.started();
    assertThat(service.poll().getStep().getAttempt()).isOne();
  }

  @Test
  @DisplayName("given a resumed stream, then it gets the tasks that were not received, and no more")
  void resume() {
    var cut = worker(10);
    service.started();
    var received = cut.awaitTasks(1).getFirst();
    var token = cut.token();
    service.started();
    service.started();
    var lost = cut.awaitTasks(3).subList(1, 3);
    cut.cut();

    var next =
        WorkerStream.on(service.channel)
            .send(WorkRequest.newBuilder().setOpen(open("s", token)).setCredit(10));

    assertThat(next.awaitTasks(2))
        .extracting(Task::getClaim)
        .containsExactlyInAnyOrderElementsOf(lost.stream().map(Task::getClaim).toList())
        .doesNotContain(received.getClaim());
    service.started();
    assertThat(next.awaitTasks(3)).hasSize(3);
  }

  @Test
  @DisplayName(
      "given a stream resumed on another node, then it gets the tasks that were not received")
  void resumeElsewhere() {
    var cut = worker(10);
    service.started();
    var lost = cut.awaitTasks(1).getFirst();
    cut.cut();
    try (var other = service.anotherNode()) {
      var next =
          WorkerStream.on(other.channel)
              .send(WorkRequest.newBuilder().setOpen(open("s", "")).setStop(true));

      assertThat(next.awaitTasks(1)).extracting(Task::getClaim).containsExactly(lost.getClaim());
      next.await(() -> next.messages().getLast().getStopped());
    }
  }

  @Test
  @DisplayName(
      "given a worker that stops, then it gets no more tasks and can complete those it has")
  void stop() {
    service.started();
    var worker = worker(10);
    var claim = worker.awaitTasks(1).getFirst().getClaim();

    worker.send(WorkRequest.newBuilder().setStop(true));
    worker.await(() -> worker.messages().getLast().getStopped());
    service.started();
    worker.send(call(complete(1, completion(claim))));

    assertThat(worker.awaitAnswers(1).getFirst().getCompleteTask().hasCompleted()).isTrue();
    assertThat(worker.tasks()).hasSize(1);
    assertThat(service.poll().getStep().getName()).as("left for others").isEqualTo("a");
    worker.halfClose();
    assertThat(worker.awaitEnd()).isEqualTo(Status.OK);
  }

  @Test
  @DisplayName(
      "given active calls, when the stream is half-closed, then they are answered before its end")
  void halfClose() {
    service.started();
    var worker = worker(1);
    var claim = worker.awaitTasks(1).getFirst().getClaim();

    worker.send(call(complete(1, completion(claim))));
    worker.halfClose();

    assertThat(worker.awaitEnd()).isEqualTo(Status.OK);
    assertThat(worker.answers()).hasSize(1);
    assertThat(service.places.size()).isZero();
  }

  @Test
  @DisplayName(
      "given an invalid field of the stream itself, then the stream ends and names the field")
  void broken() {
    var unopened = WorkerStream.on(service.channel).send(WorkRequest.newBuilder().setCredit(1));
    assertThat(unopened.awaitEnd()).satisfies(end -> invalid(end, "open is required"));
    var twice = worker(1).send(WorkRequest.newBuilder().setOpen(open("s", "")));
    assertThat(twice.awaitEnd())
        .satisfies(end -> invalid(end, "open is only allowed in the first"));
    var greedy = worker(500).send(WorkRequest.newBuilder().setCredit(1));
    assertThat(greedy.awaitEnd()).satisfies(end -> invalid(end, "credit must be between 0 and 0"));
    var token =
        WorkerStream.on(service.channel).send(WorkRequest.newBuilder().setOpen(open("s", "x")));
    assertThat(token.awaitEnd())
        .satisfies(end -> invalid(end, "open.resume_token must be the resume_token"));
    var queues =
        WorkerStream.on(service.channel)
            .send(WorkRequest.newBuilder().setOpen(WorkRequest.Open.newBuilder().setWorkerId("w")));
    assertThat(queues.awaitEnd()).satisfies(end -> invalid(end, "open.queues is required"));
    assertThat(service.places.size()).isZero();
  }

  private static void invalid(Status end, String message) {
    assertThat(end.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(end.getDescription()).startsWith(message);
  }

  @Test
  @DisplayName("given a message with 10,000 calls, then the stream ends and no call begins")
  void tooManyCalls() {
    service.started();
    var worker = worker(1);
    var claim = worker.awaitTasks(1).getFirst().getClaim();
    var message = WorkRequest.newBuilder();
    IntStream.range(0, 10_000).forEach(id -> message.addCalls(complete(id, completion(claim))));

    worker.send(message);

    assertThat(worker.awaitEnd())
        .satisfies(end -> invalid(end, "calls has 10000 calls; at most 1000 are allowed"));
    assertThat(service.worker().completeTask(completion(claim).build()).getCompleted().getAlready())
        .isFalse();
  }

  @Test
  @DisplayName("given a worker that does not read, then it gets few tasks until it reads")
  void slow() {
    var input = json('"' + "x".repeat(200_000) + '"');
    var worker = WorkerStream.deaf(service.channel);
    worker.send(WorkRequest.newBuilder().setOpen(open("s", "")).setCredit(100));
    IntStream.range(0, 60).forEach(_ -> service.runs().startRun(start().setInput(input).build()));

    var others = service.worker().pollTasks(polling().setMaxTasks(500).build()).getTasksCount();
    assertThat(others).as("left for workers that read").isPositive();
    worker.read(1_000);

    assertThat(worker.awaitTasks(60 - others)).hasSize(60 - others);
    service.started();
    assertThat(worker.awaitTasks(61 - others)).hasSize(61 - others);
  }

  @Test
  @DisplayName(
      "given a worker that reads after its leases have expired, then it gets none of those")
  void expired() {
    var lease = Duration.ofMillis(100);
    service.define(
        "short",
        StepDefinition.newBuilder()
            .setName("a")
            .setTask(
                TaskStep.newBuilder()
                    .setQueue(Service.QUEUE)
                    .setLease(Durations.fromMillis(lease.toMillis())))
            .build());
    var worker = WorkerStream.deaf(service.channel);
    worker.read(2);
    worker.send(WorkRequest.newBuilder().setOpen(open("s", "")).setCredit(1));
    // the answer is the last message that it reads for now; its poll still waits
    worker.send(WorkRequest.newBuilder().setClock(1));
    worker.await(() -> worker.messages().size() == 2);
    var expiring = service.runs().startRun(start().setDefinition("short").build()).getRun();
    assertThat(service.worker().pollTasks(polling().build()).getTasksCount()).isZero();
    // a stream counts leases by the clock of the process, which no test can advance
    var granted = System.nanoTime();
    while (System.nanoTime() - granted < lease.toNanos()) {
      Thread.onSpinWait();
    }
    service.timer.advance(Duration.ofMinutes(1));
    var other = service.worker().pollTasks(polling().build()).getTasksList();
    assertThat(other)
        .as("held by another worker")
        .extracting(task -> task.getRun().getId())
        .containsExactly(expiring.getId());

    worker.read(1_000);
    var next = service.started();
    assertThat(worker.awaitTasks(1))
        .extracting(task -> task.getRun().getId())
        .containsExactly(next.getId());
  }
}
