package dev.hapax.client.operation;

import dev.hapax.client.internal.StreamProtocol;
import dev.hapax.client.internal.StreamedCall;
import dev.hapax.client.internal.rpc.OperationRpcs;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.OperationStreamRequest;
import dev.hapax.v1.OperationStreamResponse;
import dev.hapax.v1.RenewOperationRequest;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Encodes calls about operations on a stream. */
final class OperationCalls
    implements StreamProtocol<OperationStreamRequest, OperationStreamResponse> {

  static final Set<Class<?>> REQUESTS =
      Set.of(
          BeginOperationRequest.class,
          CompleteOperationRequest.class,
          FailOperationRequest.class,
          RenewOperationRequest.class);

  @Override
  public MethodDescriptor<OperationStreamRequest, OperationStreamResponse> method() {
    return OperationRpcs.OPERATION_STREAM;
  }

  @Override
  public OperationStreamRequest message(
      Map<Integer, StreamedCall<?, ?>> calls, List<Integer> cancelled) {
    OperationStreamRequest.Builder message =
        OperationStreamRequest.newBuilder().addAllCancelledCallIds(cancelled);
    calls.forEach((id, call) -> message.addCalls(call(id, call.request())));
    return message.build();
  }

  private static OperationStreamRequest.Call call(int id, Object request) {
    OperationStreamRequest.Call.Builder call =
        OperationStreamRequest.Call.newBuilder().setCallId(id);
    if (request instanceof BeginOperationRequest begin) {
      call.setBeginOperation(begin);
    } else if (request instanceof CompleteOperationRequest complete) {
      call.setCompleteOperation(complete);
    } else if (request instanceof FailOperationRequest fail) {
      call.setFailOperation(fail);
    } else if (request instanceof RenewOperationRequest renew) {
      call.setRenewOperation(renew);
    }
    return call.build();
  }

  @Override
  public void answers(OperationStreamResponse message, Answers answers) {
    for (OperationStreamResponse.Answer answer : message.getAnswersList()) {
      int id = answer.getCallId();
      switch (answer.getOutcomeCase()) {
        case BEGIN_OPERATION -> answers.answered(id, answer.getBeginOperation());
        case COMPLETE_OPERATION -> answers.answered(id, answer.getCompleteOperation());
        case FAIL_OPERATION -> answers.answered(id, answer.getFailOperation());
        case RENEW_OPERATION -> answers.answered(id, answer.getRenewOperation());
        case ERROR -> answers.rejected(id, answer.getError());
        case OUTCOME_NOT_SET -> answers.answered(id, answer);
      }
    }
  }
}
