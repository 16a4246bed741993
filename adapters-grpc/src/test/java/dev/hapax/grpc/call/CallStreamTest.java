package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.OperationStreamResponse;
import dev.hapax.v1.OperationStreamResponse.Answer;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CallStreamTest {
  private static final StreamMessages<
          OperationStreamResponse, Answer, OperationStreamResponse.Builder>
      MESSAGES =
          new StreamMessages<>(
              OperationStreamResponse::newBuilder,
              OperationStreamResponse.Builder::addAnswers,
              (id, error) -> Answer.newBuilder().setCallId(id).setError(error).build(),
              OperationStreamResponse.Builder::build);

  @Test
  @Tag("A8")
  @DisplayName("given a client that reads nothing, then its stream ends, and its grant is released")
  void stalled() throws Exception {
    var client = new UnreadClient<OperationStreamResponse>();
    var released = new CompletableFuture<String>();
    var stream = new CallStream<>(client, MESSAGES, Duration.ofMillis(1));
    stream.answerWithGrant(
        1,
        BeginOperationRequest.getDefaultInstance(),
        _ -> CompletableFuture.completedFuture("grant"),
        _ -> Answer.newBuilder().setCallId(1).build(),
        released::complete);
    var refusal = Refusal.of((StatusRuntimeException) client.ended.get(1, TimeUnit.MINUTES));
    assertThat(refusal.code()).isEqualTo(Code.RESOURCE_EXHAUSTED);
    assertThat(refusal.reason()).isEqualTo("STREAM_STALLED");
    assertThat(released.get(1, TimeUnit.MINUTES)).isEqualTo("grant");
  }
}
