package dev.hapax.grpc.operation;

import dev.hapax.grpc.call.CallReceiver;
import dev.hapax.grpc.call.CallStream;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.StreamMessages;
import dev.hapax.v1.OperationStreamRequest;
import dev.hapax.v1.OperationStreamResponse;
import dev.hapax.v1.OperationStreamResponse.Answer;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/** Serves OperationStream: each call as its unary rpc. */
final class OperationStream {
  private static final StreamMessages<
          OperationStreamResponse, Answer, OperationStreamResponse.Builder>
      MESSAGES =
          new StreamMessages<>(
              OperationStreamResponse::newBuilder,
              OperationStreamResponse.Builder::addAnswers,
              (id, error) -> answer(id).setError(error).build(),
              OperationStreamResponse.Builder::build);

  private final OperationCalls calls;
  private final CallStream<OperationStreamResponse, Answer, OperationStreamResponse.Builder> stream;

  private OperationStream(
      OperationCalls calls, ServerCallStreamObserver<OperationStreamResponse> client) {
    this.calls = calls;
    this.stream = new CallStream<>(client, MESSAGES);
  }

  static StreamObserver<OperationStreamRequest> start(
      OperationCalls calls, ServerCallStreamObserver<OperationStreamResponse> client) {
    var operations = new OperationStream(calls, client);
    return new CallReceiver<>(
            operations.stream,
            OperationStreamRequest::getCallsList,
            OperationStreamRequest::getCancelledCallIdsList,
            operations::begin)
        .start();
  }

  private void begin(OperationStreamRequest.Call call) {
    var id = call.getCallId();
    switch (call.getRequestCase()) {
      case BEGIN_OPERATION ->
          stream.answer(
              id,
              call.getBeginOperation(),
              calls::begin,
              outcome -> answer(id).setBeginOperation(OperationEncoding.begun(outcome)).build());
      case COMPLETE_OPERATION ->
          stream.answer(
              id,
              call.getCompleteOperation(),
              calls::complete,
              outcome ->
                  answer(id).setCompleteOperation(OperationEncoding.completed(outcome)).build());
      case FAIL_OPERATION ->
          stream.answer(
              id,
              call.getFailOperation(),
              calls::fail,
              outcome -> answer(id).setFailOperation(OperationEncoding.failed(outcome)).build());
      case RENEW_OPERATION ->
          stream.answer(
              id,
              call.getRenewOperation(),
              calls::renew,
              outcome -> answer(id).setRenewOperation(OperationEncoding.renewed(outcome)).build());
      case REQUEST_NOT_SET ->
          stream.reject(id, new InvalidFieldException("request", "is required"));
    }
  }

  private static Answer.Builder answer(int callId) {
    return Answer.newBuilder().setCallId(callId);
  }
}
