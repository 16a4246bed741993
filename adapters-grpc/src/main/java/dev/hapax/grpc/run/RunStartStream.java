package dev.hapax.grpc.run;

import com.google.rpc.Status;
import dev.hapax.grpc.call.CallStream;
import dev.hapax.grpc.call.Fields;
import dev.hapax.grpc.call.StreamMessages;
import dev.hapax.v1.StartRunStreamRequest;
import dev.hapax.v1.StartRunStreamResponse;
import dev.hapax.v1.StartRunStreamResponse.Answer;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/** StartRunStream on the wire: each start by itself. */
final class RunStartStream implements StreamObserver<StartRunStreamRequest> {
  private final RunStarts starts;
  private final CallStream<StartRunStreamResponse, Answer, StartRunStreamResponse.Builder> stream;

  private record StartMessages()
      implements StreamMessages<StartRunStreamResponse, Answer, StartRunStreamResponse.Builder> {
    @Override
    public StartRunStreamResponse.Builder begin() {
      return StartRunStreamResponse.newBuilder();
    }

    @Override
    public void add(StartRunStreamResponse.Builder message, Answer answer) {
      message.addAnswers(answer);
    }

    @Override
    public Answer error(int callId, Status error) {
      return Answer.newBuilder().setCallId(callId).setError(error).build();
    }

    @Override
    public StartRunStreamResponse build(StartRunStreamResponse.Builder message) {
      return message.build();
    }
  }

  RunStartStream(RunStarts starts, ServerCallStreamObserver<StartRunStreamResponse> client) {
    this.starts = starts;
    this.stream = new CallStream<>(client, new StartMessages());
  }

  RunStartStream start() {
    stream.start(() -> {}, () -> {});
    return this;
  }

  @Override
  public void onNext(StartRunStreamRequest message) {
    stream.receive(
        message.getCallsCount(),
        message.getCancelledCallIdsList(),
        () -> message.getCallsList().forEach(this::begin));
    if (stream.isOld()) {
      stream.finish();
    }
  }

  private void begin(StartRunStreamRequest.Call call) {
    var request = call.getStartRun();
    stream.answer(
        call.getCallId(),
        () -> starts.start(Fields.workspace(request.getWorkspace()), request, RunEncoding::run),
        response -> Answer.newBuilder().setCallId(call.getCallId()).setStartRun(response).build());
  }

  /** The call stream hears of it first. */
  @Override
  public void onError(Throwable failure) {}

  @Override
  public void onCompleted() {
    stream.finish();
  }
}
