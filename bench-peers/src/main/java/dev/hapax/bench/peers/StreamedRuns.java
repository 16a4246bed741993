package dev.hapax.bench.peers;

import dev.hapax.bench.ClosedLoopLoad;
import dev.hapax.bench.OperationLoad;
import dev.hapax.bench.RunLoad;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunStreamRequest;
import dev.hapax.v1.StartRunStreamResponse;
import dev.hapax.v1.Task;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Clients that start runs on a stream, and a worker that completes their steps on another one. */
final class StreamedRuns {
  private static final int CREDIT = 500;

  /** Streams are renewed before the server closes them for their age. */
  private static final Duration RENEWAL = Duration.ofMinutes(5);

  /** The worker sends its clock this often; its leases are counted from it. */
  private static final Duration BEAT = Duration.ofSeconds(5);

  private static final ScheduledExecutorService TIMER =
      Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());

  private final Channel channel;
  private final String definition;
  private final ConcurrentMap<String, ClosedLoopLoad.Next> callers = new ConcurrentHashMap<>();
  private final AtomicInteger workStreams = new AtomicInteger();
  private final Set<Throwable> failures = ConcurrentHashMap.newKeySet();
  private final GatheredCalls<
          StartRunStreamRequest.Call, StartRunStreamRequest, StartRunStreamResponse.Answer>
      starts;
  private final GatheredCalls<WorkRequest.Call, WorkRequest, WorkResponse.Answer> work;

  /** Opens the streams, for runs of this many steps. */
  StreamedRuns(Channel channel, String name, int steps) {
    this.channel = channel;
    this.definition = RunLoad.define(channel, name, steps);
    this.starts =
        new GatheredCalls<>(
            openStarts(), calls -> StartRunStreamRequest.newBuilder().addAllCalls(calls).build());
    this.work =
        new GatheredCalls<>(
            openWork(),
            calls -> WorkRequest.newBuilder().addAllCalls(calls).setClock(clock()).build());
    var _ =
        TIMER.scheduleAtFixedRate(
            () -> work.send(WorkRequest.newBuilder().setClock(clock()).build()),
            BEAT.toSeconds(),
            BEAT.toSeconds(),
            TimeUnit.SECONDS);
    var _ =
        TIMER.scheduleAtFixedRate(
            this::renew, RENEWAL.toSeconds(), RENEWAL.toSeconds(), TimeUnit.SECONDS);
  }

  private static long clock() {
    return System.nanoTime();
  }

  private WorkRequest open() {
    var open =
        WorkRequest.Open.newBuilder()
            .addQueues(definition)
            .setWorkerId("streamed")
            .setAttemptId(OperationLoad.newKey());
    return WorkRequest.newBuilder().setOpen(open).setCredit(CREDIT).setClock(clock()).build();
  }

  private void renew() {
    starts.moveTo(openStarts());
    work.moveTo(openWork());
  }

  private StreamObserver<StartRunStreamRequest> openStarts() {
    return RunServiceGrpc.newStub(channel)
        .startRunStream(
            new Answers<>(
                message ->
                    message
                        .getAnswersList()
                        .forEach(answer -> starts.answered(answer.getCallId(), answer))));
  }

  private StreamObserver<WorkRequest> openWork() {
    var number = workStreams.incrementAndGet();
    var stream =
        WorkerServiceGrpc.newStub(channel)
            .work(
                new Answers<>(
                    message -> {
                      message
                          .getAnswersList()
                          .forEach(answer -> work.answered(answer.getCallId(), answer));
                      if (message.getTasksCount() > 0) {
                        message.getTasksList().forEach(this::complete);
                        giveCredit(number, message.getTasksCount());
                      }
                    }));
    stream.onNext(open());
    return stream;
  }

  /** Tasks of a former stream have not used credit of the current one. */
  private void giveCredit(int number, int credit) {
    if (number == workStreams.get()) {
      work.send(WorkRequest.newBuilder().setCredit(credit).setClock(clock()).build());
    }
  }

  private final class Answers<M> implements StreamObserver<M> {
    private final Consumer<M> message;

    Answers(Consumer<M> message) {
      this.message = message;
    }

    @Override
    public void onNext(M next) {
      message.accept(next);
    }

    @Override
    public void onError(Throwable cause) {
      failures.add(cause);
      callers.values().forEach(caller -> caller.failed(cause));
    }

    @Override
    public void onCompleted() {}
  }

  /** Starts a run with a new idempotency key; the turn ends when its last step is completed. */
  void run(int lane, ClosedLoopLoad.Next next) {
    var key = OperationLoad.newKey();
    callers.put(key, next);
    var request =
        StartRunRequest.newBuilder()
            .setDefinition(definition)
            .setIdempotencyKey(key)
            .setInput(Payload.newBuilder().setJson('"' + key + '"'));
    failures.forEach(next::failed);
    starts.send(
        id -> StartRunStreamRequest.Call.newBuilder().setCallId(id).setStartRun(request).build(),
        answer -> {
          if (answer.hasError()) {
            next.failed(new IllegalStateException("StartRun failed: " + answer.getError()));
          }
        });
  }

  private void complete(Task task) {
    var request =
        CompleteTaskRequest.newBuilder()
            .setClaim(task.getClaim())
            .setOutput(Payload.newBuilder().setJson(OperationLoad.RESULT))
            .setWantNext(true);
    var key = task.getInput().getJson().replace("\"", "");
    work.send(
        id -> WorkRequest.Call.newBuilder().setCallId(id).setCompleteTask(request).build(),
        answer -> completed(key, answer));
  }

  private void completed(String key, WorkResponse.Answer answer) {
    var outcome = answer.getCompleteTask();
    if (outcome.getCompleted().hasNext()) {
      complete(outcome.getCompleted().getNext());
      return;
    }
    var caller = callers.remove(key);
    if (caller == null) {
      return;
    }
    if (outcome.hasCompleted()) {
      caller.done();
    } else {
      caller.failed(new IllegalStateException("CompleteTask failed: " + answer));
    }
  }
}
