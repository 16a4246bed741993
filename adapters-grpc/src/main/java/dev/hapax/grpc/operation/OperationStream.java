package dev.hapax.grpc.operation;

import com.google.protobuf.Message;
import dev.hapax.grpc.call.CallReceiver;
import dev.hapax.grpc.call.CallStream;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.StreamMessages;
import dev.hapax.v1.OperationStreamRequest;
import dev.hapax.v1.OperationStreamResponse;
import dev.hapax.v1.OperationStreamResponse.Answer;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.function.Function;

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

  private final Function<Message, OperationCalls> calls;
  private final CallStream<OperationStreamResponse, Answer, OperationStreamResponse.Builder> stream;

  private OperationStream(
      Function<Message, OperationCalls> calls,
      ServerCallStreamObserver<OperationStreamResponse> client) {
    this.calls = calls;
    this.stream = new CallStream<>(client, MESSAGES);
  }

  /**
   * Starts to read.
   *
   * @param calls finds those of the cell of a request
   */
  static StreamObserver<OperationStreamRequest> start(
      Function<Message, OperationCalls> calls,
      ServerCallStreamObserver<OperationStreamResponse> client) {
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
              request -> calls.apply(request).begin(request),
              outcome -> answer(id).setBeginOperation(OperationEncoding.begun(outcome)).build());
      case COMPLETE_OPERATION ->
          stream.answer(
              id,
              call.getCompleteOperation(),
              request -> calls.apply(request).complete(request),
              outcome ->
                  answer(id).setCompleteOperation(OperationEncoding.completed(outcome)).build());
      case FAIL_OPERATION ->
          stream.answer(
              id,
              call.getFailOperation(),
              request -> calls.apply(request).fail(request),
              outcome -> answer(id).setFailOperation(OperationEncoding.failed(outcome)).build());
      case RENEW_OPERATION ->
          stream.answer(
              id,
              call.getRenewOperation(),
              request -> calls.apply(request).renew(request),
              outcome -> answer(id).setRenewOperation(OperationEncoding.renewed(outcome)).build());
      case REQUEST_NOT_SET ->
          stream.reject(id, new InvalidFieldException("request", "is required"));
    }
  }

  private static Answer.Builder answer(int callId) {
    return Answer.newBuilder().setCallId(callId);
  }
}
