package dev.hapax.grpc.run;

import com.google.protobuf.Message;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.run.HeartbeatOutcome;
import dev.hapax.grpc.call.CallStream;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.grpc.call.StreamMessages;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import dev.hapax.v1.WorkResponse.Answer;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Serves the Work stream of one worker. */
final class WorkStream implements StreamObserver<WorkRequest> {
  private static final StreamMessages<WorkResponse, Answer, WorkResponse.Builder> MESSAGES =
      new StreamMessages<>(
          WorkResponse::newBuilder,
          WorkResponse.Builder::addAnswers,
          (id, error) -> answer(id).setError(error).build(),
          WorkResponse.Builder::build);

  private final Function<Message, WorkerCalls> calls;
  private final Function<HeartbeatTasksRequest, CompletableFuture<List<HeartbeatOutcome>>>
      heartbeat;
  private final RandomValues random;
  private final CallStream<WorkResponse, Answer, WorkResponse.Builder> stream;
  private Optional<OpenPolls> polls = Optional.empty();

  /**
   * Makes a stream that does not read yet.
   *
   * @param calls finds those of the cell of a request
   * @param heartbeat renews leases, perhaps in several cells
   */
  WorkStream(
      Function<Message, WorkerCalls> calls,
      Function<HeartbeatTasksRequest, CompletableFuture<List<HeartbeatOutcome>>> heartbeat,
      RandomValues random,
      ServerCallStreamObserver<WorkResponse> worker) {
    this.calls = calls;
    this.heartbeat = heartbeat;
    this.random = random;
    this.stream = new CallStream<>(worker, MESSAGES);
  }

  WorkStream start() {
    stream.start(() -> polls.ifPresent(OpenPolls::fill), () -> polls.ifPresent(OpenPolls::cancel));
    return this;
  }

  @Override
  public void onNext(WorkRequest message) {
    try {
      receive(message);
    } catch (InvalidFieldException | LedgerException e) {
      stream.fail(e);
    }
  }

  private void receive(WorkRequest message) {
    if (message.hasOpen() == polls.isPresent()) {
      throw new InvalidFieldException(
          "open", message.hasOpen() ? "is only allowed in the first message" : "is required");
    }
    if (message.hasOpen()) {
      var terms = StreamPollTerms.read(message.getOpen(), random);
      polls = Optional.of(new OpenPolls(calls.apply(message).tasks(), terms, stream));
    }
    polls.orElseThrow().receive(message);
    stream.receive(
        message.getCallsCount(),
        message.getCancelledCallIdsList(),
        () -> message.getCallsList().forEach(this::begin));
    if (stream.isOld()) {
      onCompleted();
    }
  }

  /** Finds the calls of a request's cell once: the map may change before the answer. */
  private Function<Message, WorkerCalls> ofOneCell() {
    var found = new AtomicReference<@Nullable WorkerCalls>();
    return request -> {
      var known = found.get();
      if (known == null) {
        known = calls.apply(request);
        found.set(known);
      }
      return known;
    };
  }

  private void begin(WorkRequest.Call call) {
    var id = call.getCallId();
    var own = ofOneCell();
    switch (call.getRequestCase()) {
      case COMPLETE_TASK ->
          stream.answerWithGrant(
              id,
              call.getCompleteTask(),
              request -> own.apply(request).complete(request),
              outcome -> answer(id).setCompleteTask(TaskOutcomes.completed(outcome)).build(),
              outcome -> own.apply(call.getCompleteTask()).releaseGrant(outcome));
      case FAIL_TASK ->
          stream.answer(
              id,
              call.getFailTask(),
              request -> own.apply(request).fail(request),
              outcome -> answer(id).setFailTask(TaskOutcomes.failed(outcome)).build());
      case SUSPEND_TASK ->
          stream.answer(
              id,
              call.getSuspendTask(),
              request -> own.apply(request).suspend(request),
              outcome -> answer(id).setSuspendTask(TaskOutcomes.suspended(outcome)).build());
      case RELEASE_TASK ->
          stream.answer(
              id,
              call.getReleaseTask(),
              request -> own.apply(request).release(request),
              outcome -> answer(id).setReleaseTask(TaskOutcomes.released(outcome)).build());
      case HEARTBEAT_TASKS ->
          stream.answer(
              id,
              call.getHeartbeatTasks(),
              heartbeat,
              outcome -> answer(id).setHeartbeatTasks(TaskOutcomes.renewed(outcome)).build());
      case RECORD_STEP ->
          stream.answer(
              id,
              call.getRecordStep(),
              request -> own.apply(request).record(request),
              outcome ->
                  answer(id)
                      .setRecordStep(own.apply(call.getRecordStep()).response(outcome))
                      .build());
      case REQUEST_NOT_SET ->
          stream.reject(id, new InvalidFieldException("request", "is required"));
    }
  }

  private static Answer.Builder answer(int callId) {
    return Answer.newBuilder().setCallId(callId);
  }

  /** Does nothing: the call stream's own handler runs first. */
  @Override
  public void onError(Throwable failure) {}

  @Override
  public void onCompleted() {
    polls.ifPresentOrElse(open -> open.stop(stream::finish), stream::finish);
  }
}
