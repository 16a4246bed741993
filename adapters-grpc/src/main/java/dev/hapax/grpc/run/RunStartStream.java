package dev.hapax.grpc.run;

import dev.hapax.application.hook.RunStarter;
import dev.hapax.grpc.call.CallReceiver;
import dev.hapax.grpc.call.CallStream;
import dev.hapax.grpc.call.StreamMessages;
import dev.hapax.v1.StartRunStreamRequest;
import dev.hapax.v1.StartRunStreamResponse;
import dev.hapax.v1.StartRunStreamResponse.Answer;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

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

  private final RunStarter starter;
  private final RunStartDecoding decoding;
  private final CallStream<StartRunStreamResponse, Answer, StartRunStreamResponse.Builder> stream;

  private RunStartStream(
      RunStarter starter,
      RunStartDecoding decoding,
      ServerCallStreamObserver<StartRunStreamResponse> client) {
    this.starter = starter;
    this.decoding = decoding;
    this.stream = new CallStream<>(client, MESSAGES);
  }

  static StreamObserver<StartRunStreamRequest> start(
      RunStarter starter,
      RunStartDecoding decoding,
      ServerCallStreamObserver<StartRunStreamResponse> client) {
    var runs = new RunStartStream(starter, decoding, client);
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
        start -> starter.start(decoding.read(start)),
        result ->
            answer(call.getCallId())
                .setStartRun(RunStartEncoding.response(request, result, RunEncoding::run))
                .build());
  }

  private static Answer.Builder answer(int callId) {
    return Answer.newBuilder().setCallId(callId);
  }
}
