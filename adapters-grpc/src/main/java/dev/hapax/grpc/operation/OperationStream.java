package dev.hapax.grpc.operation;

import com.google.rpc.Status;
import dev.hapax.grpc.call.CallStream;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.StreamMessages;
import dev.hapax.v1.OperationStreamRequest;
import dev.hapax.v1.OperationStreamResponse;
import dev.hapax.v1.OperationStreamResponse.Answer;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.function.Function;

/** OperationStream on the wire: each call by itself. */
final class OperationStream implements StreamObserver<OperationStreamRequest> {
  private final OperationCalls calls;
  private final CallStream<OperationStreamResponse, Answer, OperationStreamResponse.Builder> stream;

  private record OperationMessages()
      implements StreamMessages<OperationStreamResponse, Answer, OperationStreamResponse.Builder> {
    @Override
    public OperationStreamResponse.Builder begin() {
      return OperationStreamResponse.newBuilder();
    }

    @Override
    public void add(OperationStreamResponse.Builder message, Answer answer) {
      message.addAnswers(answer);
    }

    @Override
    public Answer error(int callId, Status error) {
      return answer(callId).setError(error).build();
    }

    @Override
    public OperationStreamResponse build(OperationStreamResponse.Builder message) {
      return message.build();
    }
  }

  OperationStream(OperationCalls calls, ServerCallStreamObserver<OperationStreamResponse> client) {
    this.calls = calls;
    this.stream = new CallStream<>(client, new OperationMessages());
  }

  OperationStream start() {
    stream.start(() -> {}, () -> {});
    return this;
  }

  @Override
  public void onNext(OperationStreamRequest message) {
    stream.receive(
        message.getCallsCount(),
        message.getCancelledCallIdsList(),
        () -> message.getCallsList().forEach(this::begin));
    if (stream.isOld()) {
      stream.finish();
    }
  }

  private void begin(OperationStreamRequest.Call call) {
    var id = call.getCallId();
    switch (call.getRequestCase()) {
      case BEGIN_OPERATION ->
          stream.answer(
              id,
              () -> calls.begin(call.getBeginOperation()),
              outcome -> answer(id).setBeginOperation(OperationEncoding.begun(outcome)).build());
      case COMPLETE_OPERATION ->
          stream.answer(
              id,
              () -> calls.complete(call.getCompleteOperation()),
              outcome ->
                  answer(id).setCompleteOperation(OperationEncoding.completed(outcome)).build());
      case FAIL_OPERATION ->
          stream.answer(
              id,
              () -> calls.fail(call.getFailOperation()),
              outcome -> answer(id).setFailOperation(OperationEncoding.failed(outcome)).build());
      case RENEW_OPERATION ->
          stream.answer(
              id,
              () -> calls.renew(call.getRenewOperation()),
              outcome -> answer(id).setRenewOperation(OperationEncoding.renewed(outcome)).build());
      case REQUEST_NOT_SET ->
          stream.answer(
              id,
              () -> {
                throw new InvalidFieldException("request", "is required");
              },
              Function.<Answer>identity());
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
    stream.finish();
  }
}
