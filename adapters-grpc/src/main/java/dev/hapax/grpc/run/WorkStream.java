package dev.hapax.grpc.run;

import dev.hapax.application.run.Tasks;
import dev.hapax.grpc.call.CallStream;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.StreamMessages;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import dev.hapax.v1.WorkResponse.Answer;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Optional;

/** Work on the wire: the stream of one worker. */
final class WorkStream implements StreamObserver<WorkRequest> {
  private static final StreamMessages<WorkResponse, Answer, WorkResponse.Builder> MESSAGES =
      new StreamMessages<>(
          WorkResponse::newBuilder,
          WorkResponse.Builder::addAnswers,
          (id, error) -> answer(id).setError(error).build(),
          WorkResponse.Builder::build);

  private final Tasks tasks;
  private final WorkerCalls calls;
  private final CallStream<WorkResponse, Answer, WorkResponse.Builder> stream;
  private Optional<OpenPolls> polls = Optional.empty();

  WorkStream(Tasks tasks, WorkerCalls calls, ServerCallStreamObserver<WorkResponse> worker) {
    this.tasks = tasks;
    this.calls = calls;
    this.stream = new CallStream<>(worker, MESSAGES);
  }

  WorkStream start() {
    stream.start(() -> polls.ifPresent(OpenPolls::fill), () -> polls.ifPresent(OpenPolls::cancel));
    return this;
  }

  @Override
  public void onNext(WorkRequest message) {
    try {
      take(message);
    } catch (InvalidFieldException e) {
      stream.fail(e);
    }
  }

  private void take(WorkRequest message) {
    if (message.hasOpen() == polls.isPresent()) {
      throw new InvalidFieldException(
          "open", message.hasOpen() ? "is only for the first message" : "is required");
    }
    if (message.hasOpen()) {
      polls = Optional.of(new OpenPolls(tasks, StreamPollTerms.read(message.getOpen()), stream));
    }
    polls.orElseThrow().take(message);
    stream.receive(
        message.getCallsCount(),
        message.getCancelledCallIdsList(),
        () -> message.getCallsList().forEach(this::begin));
    if (stream.isOld()) {
      onCompleted();
    }
  }

  private void begin(WorkRequest.Call call) {
    var id = call.getCallId();
    switch (call.getRequestCase()) {
      case COMPLETE_TASK ->
          stream.hand(
              id,
              () -> calls.complete(call.getCompleteTask()),
              done -> answer(id).setCompleteTask(TaskOutcomes.completed(done)).build(),
              calls::giveBack);
      case FAIL_TASK ->
          stream.answer(
              id,
              () -> calls.fail(call.getFailTask()),
              done -> answer(id).setFailTask(done).build());
      case SUSPEND_TASK ->
          stream.answer(
              id,
              () -> calls.suspend(call.getSuspendTask()),
              done -> answer(id).setSuspendTask(done).build());
      case RELEASE_TASK ->
          stream.answer(
              id,
              () -> calls.release(call.getReleaseTask()),
              done -> answer(id).setReleaseTask(done).build());
      case HEARTBEAT_TASKS ->
          stream.answer(
              id,
              () -> calls.heartbeat(call.getHeartbeatTasks()),
              done -> answer(id).setHeartbeatTasks(done).build());
      case RECORD_STEP ->
          stream.answer(
              id,
              () -> calls.record(call.getRecordStep()),
              done -> answer(id).setRecordStep(done).build());
      case REQUEST_NOT_SET ->
          stream.refuse(id, new InvalidFieldException("request", "is required"));
    }
  }

  private static Answer.Builder answer(int callId) {
    return Answer.newBuilder().setCallId(callId);
  }

  /** The call stream hears of it first. */
  @Override
  public void onError(Throwable failure) {}

  @Override
  public void onCompleted() {
    polls.ifPresentOrElse(standing -> standing.stop(stream::finish), stream::finish);
  }
}
