package dev.hapax.grpc.run;

import com.google.protobuf.Message;
import dev.hapax.grpc.call.CallReceiver;
import dev.hapax.grpc.call.CallStream;
import dev.hapax.grpc.call.StreamMessages;
import dev.hapax.v1.StartRunStreamRequest;
import dev.hapax.v1.StartRunStreamResponse;
import dev.hapax.v1.StartRunStreamResponse.Answer;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.function.Function;

/** Serves StartRunStream: each start as its unary rpc. */
final class RunStartStream {
  private static final StreamMessages<
          StartRunStreamResponse, Answer, StartRunStreamResponse.Builder>
      MESSAGES =
          new StreamMessages<>(
              StartRunStreamResponse::newBuilder,
              StartRunStreamResponse.Builder::addAnswers,
              (id, error) -> answer(id).setError(error).build(),
              StartRunStreamResponse.Builder::build);

  private final Function<Message, RunStarts> starts;
  private final CallStream<StartRunStreamResponse, Answer, StartRunStreamResponse.Builder> stream;

  private RunStartStream(
      Function<Message, RunStarts> starts,
      ServerCallStreamObserver<StartRunStreamResponse> client) {
    this.starts = starts;
    this.stream = new CallStream<>(client, MESSAGES);
  }

  /**
   * Starts to read.
   *
   * @param starts finds those of the cell of a request
   */
  static StreamObserver<StartRunStreamRequest> start(
      Function<Message, RunStarts> starts,
      ServerCallStreamObserver<StartRunStreamResponse> client) {
    var runs = new RunStartStream(starts, client);
    return new CallReceiver<>(
            runs.stream,
            StartRunStreamRequest::getCallsList,
            StartRunStreamRequest::getCancelledCallIdsList,
            runs::begin)
        .start();
  }

  private void begin(StartRunStreamRequest.Call call) {
    var request = call.getStartRun();
    stream.answer(
        call.getCallId(),
        request,
        sent -> starts.apply(sent).start(sent),
        result ->
            answer(call.getCallId())
                .setStartRun(RunStartEncoding.response(request, result))
                .build());
  }

  private static Answer.Builder answer(int callId) {
    return Answer.newBuilder().setCallId(callId);
  }
}
