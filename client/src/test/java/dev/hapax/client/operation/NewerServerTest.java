package dev.hapax.client.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.hapax.client.ClientOptions;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.HapaxException;
import dev.hapax.client.PayloadCodec;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationStreamRequest;
import dev.hapax.v1.OperationStreamResponse;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is newer than the client. */
@Timeout(60)
class NewerServerTest {

  private static final UnknownFieldSet NEWER =
      UnknownFieldSet.newBuilder()
          .addField(
              99, UnknownFieldSet.Field.newBuilder().addLengthDelimited(ByteString.EMPTY).build())
          .build();

  private final AtomicInteger begun = new AtomicInteger();
  private Server server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    String name = InProcessServerBuilder.generateName();
    server = InProcessServerBuilder.forName(name).addService(new Operations()).build().start();
    channel = InProcessChannelBuilder.forName(name).build();
  }

  @AfterEach
  void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  @ParameterizedTest(name = "on a stream: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName(
      "given an outcome that the client does not know, then the work does not run, not even with"
          + " failOpen, and the call is not repeated")
  void unknownOutcome(boolean onStream) {
    AtomicInteger done = new AtomicInteger();
    HapaxClient client = HapaxClient.on(channel, ClientOptions.DEFAULT.withStreams(onStream));
    OperationRequest request =
        OperationRequest.of("pay", "r-1").withPolicy(OperationPolicy.DEFAULT.withFailOpen(true));

    assertThatThrownBy(
            () ->
                client
                    .operations()
                    .execute(request, PayloadCodec.json(), op -> "" + done.incrementAndGet()))
        .isInstanceOf(HapaxException.UnknownAnswer.class)
        .hasMessage(
            "Hapax answered BeginOperation with an outcome that this client does not know"
                + " (field 99); upgrade it");
    assertThat(done).hasValue(0);
    assertThat(begun).hasValue(1);
  }

  private final class Operations extends OperationServiceGrpc.OperationServiceImplBase {
    @Override
    public void beginOperation(
        BeginOperationRequest request, StreamObserver<BeginOperationResponse> answer) {
      begun.incrementAndGet();
      answer.onNext(BeginOperationResponse.newBuilder().setUnknownFields(NEWER).build());
      answer.onCompleted();
    }

    @Override
    public StreamObserver<OperationStreamRequest> operationStream(
        StreamObserver<OperationStreamResponse> answers) {
      return new StreamObserver<>() {
        @Override
        public void onNext(OperationStreamRequest message) {
          OperationStreamResponse.Builder response = OperationStreamResponse.newBuilder();
          for (OperationStreamRequest.Call call : message.getCallsList()) {
            begun.incrementAndGet();
            response.addAnswersBuilder().setCallId(call.getCallId()).setUnknownFields(NEWER);
          }
          answers.onNext(response.build());
        }

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onCompleted() {
          answers.onCompleted();
        }
      };
    }
  }
}
