package dev.hapax.client.run;

import dev.hapax.client.internal.StreamProtocol;
import dev.hapax.client.internal.StreamedCall;
import dev.hapax.client.internal.rpc.RunRpcs;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunStreamRequest;
import dev.hapax.v1.StartRunStreamResponse;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.Map;

/** Encodes run starts on a stream. */
final class StartRunCalls implements StreamProtocol<StartRunStreamRequest, StartRunStreamResponse> {

  @Override
  public MethodDescriptor<StartRunStreamRequest, StartRunStreamResponse> method() {
    return RunRpcs.START_RUN_STREAM;
  }

  @Override
  public StartRunStreamRequest message(
      Map<Integer, StreamedCall<?, ?>> calls, List<Integer> cancelled) {
    StartRunStreamRequest.Builder message =
        StartRunStreamRequest.newBuilder().addAllCancelledCallIds(cancelled);
    calls.forEach(
        (id, call) ->
            message.addCalls(
                StartRunStreamRequest.Call.newBuilder()
                    .setCallId(id)
                    .setStartRun((StartRunRequest) call.request())
                    .build()));
    return message.build();
  }

  @Override
  public void answers(StartRunStreamResponse message, Answers answers) {
    for (StartRunStreamResponse.Answer answer : message.getAnswersList()) {
      switch (answer.getOutcomeCase()) {
        case START_RUN -> answers.answered(answer.getCallId(), answer.getStartRun());
        case ERROR -> answers.rejected(answer.getCallId(), answer.getError());
        case OUTCOME_NOT_SET -> answers.answered(answer.getCallId(), answer);
      }
    }
  }
}
