package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.Payload;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many calls wait for one outcome, which is large. */
class LargeAnswersTest {
  private static final int CALLS = 200;
  private static final String LARGE = "x".repeat(1 << 20);

  /** So many answers are under way when the budget is exhausted. */
  private static final int AT_ONCE = 8;

  /** Far less than one answer: a caller that does not read keeps its answer in the server. */
  private static final int WINDOW = 64 << 10;

  private final ExecutorService sender = Executors.newSingleThreadExecutor();
  private final AnswerBudget budget =
      new AnswerBudget(
          (long) AT_ONCE * LARGE.length(), (long) CALLS * (2 << 20), Duration.ofDays(1), sender);

  /** The most bytes found under way when an answer was encoded. */
  private final AtomicLong most = new AtomicLong();

  private final CompletableFuture<String> outcome = new CompletableFuture<>();
  private final CountDownLatch received = new CountDownLatch(CALLS);
  private final CountDownLatch answered = new CountDownLatch(CALLS);
  private final List<ClientCall<GetRunRequest, GetRunResponse>> calls = new ArrayList<>();
  private Server server;
  private ManagedChannel channel;

  /** Answers each call with one outcome. */
  private final class Waits implements RunServiceGrpc.AsyncService, BindableService {
    @Override
    public io.grpc.ServerServiceDefinition bindService() {
      return RunServiceGrpc.bindService(this);
    }

    @Override
    public void getRun(GetRunRequest request, StreamObserver<GetRunResponse> caller) {
      Unary.respond(caller, outcome::copy, LargeAnswersTest.this::encode, budget);
      received.countDown();
    }
  }

  private GetRunResponse encode(String output) {
    most.accumulateAndGet(budget.bytesSending(), Math::max);
    var payload = Payload.newBuilder().setJson(output);
    return GetRunResponse.newBuilder().setRun(Run.newBuilder().setOutput(payload)).build();
  }

  @BeforeEach
  void start() throws IOException {
    server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(new Waits())
            .build()
            .start();
    channel =
        NettyChannelBuilder.forAddress(
                "localhost", server.getPort(), InsecureChannelCredentials.create())
            .flowControlWindow(WINDOW)
            .build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
    sender.shutdownNow();
  }

  /** A call whose caller reads nothing yet. */
  private ClientCall<GetRunRequest, GetRunResponse> call() {
    var call = channel.newCall(RunServiceGrpc.getGetRunMethod(), CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(GetRunResponse answer) {
            assertThat(answer.getRun().getOutput().getJson()).hasSameSizeAs(LARGE);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            if (status.isOk()) {
              answered.countDown();
            }
          }
        },
        new Metadata());
    call.sendMessage(GetRunRequest.getDefaultInstance());
    call.halfClose();
    return call;
  }

  @Test
  @DisplayName("given callers that do not read, then few responses are sent until they read")
  void bounded() throws InterruptedException {
    for (var i = 0; i < CALLS; i++) {
      calls.add(call());
    }
    assertThat(received.await(2, TimeUnit.MINUTES)).isTrue();

    outcome.complete(LARGE);
    assertThat(budget.bytesSending()).isEqualTo((long) AT_ONCE * encode(LARGE).getSerializedSize());

    calls.forEach(call -> call.request(1));
    assertThat(answered.await(2, TimeUnit.MINUTES)).isTrue();
    assertThat(most)
        .as("also while they read")
        .hasValueLessThanOrEqualTo((long) AT_ONCE * encode(LARGE).getSerializedSize());
  }
}
