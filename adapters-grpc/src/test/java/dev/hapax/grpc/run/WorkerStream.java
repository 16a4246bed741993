package dev.hapax.grpc.run;

import dev.hapax.v1.Task;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A worker's end of a Work stream. */
final class WorkerStream implements ClientResponseObserver<WorkRequest, WorkResponse> {
  private final boolean reads;
  private final List<WorkResponse> messages = new ArrayList<>();
  private @Nullable ClientCallStreamObserver<WorkRequest> requests;
  private @Nullable Status end;

  private WorkerStream(boolean reads) {
    this.reads = reads;
  }

  static WorkerStream on(Channel channel) {
    return on(channel, true);
  }

  /** One that reads nothing before {@link #read}. */
  static WorkerStream deaf(Channel channel) {
    return on(channel, false);
  }

  private static WorkerStream on(Channel channel, boolean reads) {
    var stream = new WorkerStream(reads);
    var _ = WorkerServiceGrpc.newStub(channel).work(stream);
    return stream;
  }

  static WorkRequest.Open open(String attempt, String token) {
    return WorkRequest.Open.newBuilder()
        .addQueues(Service.QUEUE)
        .setWorkerId("worker")
        .setAttemptId(attempt)
        .setResumeToken(token)
        .build();
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<WorkRequest> call) {
    requests = call;
    if (!reads) {
      call.disableAutoRequestWithInitial(0);
    }
  }

  void read(int count) {
    call().request(count);
  }

  WorkerStream send(WorkRequest.Builder message) {
    call().onNext(message.build());
    return this;
  }

  private ClientCallStreamObserver<WorkRequest> call() {
    return Objects.requireNonNull(requests);
  }

  void halfClose() {
    call().onCompleted();
  }

  void cut() {
    call().cancel("cut", null);
  }

  @Override
  public synchronized void onNext(WorkResponse message) {
    messages.add(message);
    notifyAll();
  }

  @Override
  public synchronized void onError(Throwable failure) {
    end = ((StatusRuntimeException) failure).getStatus();
    notifyAll();
  }

  @Override
  public synchronized void onCompleted() {
    end = Status.OK;
    notifyAll();
  }

  synchronized List<WorkResponse> messages() {
    return List.copyOf(messages);
  }

  synchronized List<Task> tasks() {
    return messages.stream().flatMap(message -> message.getTasksList().stream()).toList();
  }

  synchronized List<WorkResponse.Answer> answers() {
    return messages.stream().flatMap(message -> message.getAnswersList().stream()).toList();
  }

  synchronized String token() {
    return messages.stream()
        .map(WorkResponse::getResumeToken)
        .filter(token -> !token.isEmpty())
        .reduce("", (_, last) -> last);
  }

  List<Task> awaitTasks(int count) {
    await(() -> tasks().size() >= count);
    return tasks();
  }

  List<WorkResponse.Answer> awaitAnswers(int count) {
    await(() -> answers().size() >= count);
    return answers();
  }

  synchronized Status awaitEnd() {
    await(() -> end != null);
    return Objects.requireNonNull(end);
  }

  synchronized boolean hasEnded() {
    return end != null;
  }

  synchronized void await(BooleanSupplier condition) {
    var deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    try {
      while (!condition.getAsBoolean()) {
        var left = deadline - System.nanoTime();
        if (left <= 0) {
          throw new AssertionError("waited in vain; got %s, end %s".formatted(messages, end));
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
