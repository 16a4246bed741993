package dev.hapax.grpc.operation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import dev.hapax.application.operation.Operations;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.grpc.call.CellRoute;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.grpc.server.RequestReader;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.operation.InMemoryOperationReads;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse.OutcomeCase;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationStreamRequest;
import dev.hapax.v1.OperationStreamRequest.Call;
import dev.hapax.v1.OperationStreamResponse;
import dev.hapax.v1.OperationStreamResponse.Answer;
import dev.hapax.v1.RenewOperationRequest;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OperationStreamTest {
  private static final Duration LONG = Duration.newBuilder().setSeconds(30).build();
  private final SettableClock clock = new SettableClock(Instant.parse("2026-01-01T00:00:00Z"));
  private final WaiterQuota places = new WaiterQuota();
  private final Answers answers = new Answers();
  private final Server server;
  private final ManagedChannel channel;
  private StreamObserver<OperationStreamRequest> stream = new Unopened();

  /** What the stream brings. */
  private static final class Answers implements StreamObserver<OperationStreamResponse> {
    private final BlockingQueue<Answer> all = new LinkedBlockingQueue<>();
    private final CompletableFuture<Status> end = new CompletableFuture<>();

    @Override
    public void onNext(OperationStreamResponse message) {
      all.addAll(message.getAnswersList());
    }

    @Override
    public void onError(Throwable failure) {
      end.complete(Status.fromThrowable(failure));
    }

    @Override
    public void onCompleted() {
      end.complete(Status.OK);
    }
  }

  private static final class Unopened implements StreamObserver<OperationStreamRequest> {
    @Override
    public void onNext(OperationStreamRequest message) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
  }

  OperationStreamTest() throws IOException {
    var ledger = new InMemoryLedger(clock);
    var operations =
        new Operations(
            ledger, new InMemoryOperationReads(ledger, clock), places, new ManualScheduler(clock));
    var keyedIds = new KeyedIds("a key of this test only".getBytes(StandardCharsets.UTF_8));
    var random = new RandomValues(new Random()::nextLong);
    var name = InProcessServerBuilder.generateName();
    server =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .addService(
                RequestReader.around(
                    new OperationGrpc(operations, keyedIds, random, CellRoute.ONE_CELL)
                        .bindService()))
            .build()
            .start();
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  @BeforeEach
  void open() {
    stream = OperationServiceGrpc.newStub(channel).operationStream(answers);
  }

  @AfterEach
  void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  private void send(Call.Builder... calls) {
    var message = OperationStreamRequest.newBuilder();
    for (var call : calls) {
      message.addCalls(call);
    }
    stream.onNext(message.build());
  }

  private Answer answer() throws InterruptedException {
    return Objects.requireNonNull(answers.all.poll(10, TimeUnit.SECONDS), "no answer");
  }

  private Status end() throws Exception {
    return answers.end.get(10, TimeUnit.SECONDS);
  }

  private static Call.Builder begin(int callId, String attempt, Duration wait) {
    return Call.newBuilder()
        .setCallId(callId)
        .setBeginOperation(
            BeginOperationRequest.newBuilder()
                .setOperation("pay")
                .setRequestId("key")
                .setAttemptId(attempt)
                .setWait(wait));
  }

  private Claim acquired() throws InterruptedException {
    send(begin(1, "a", Duration.getDefaultInstance()));
    return answer().getBeginOperation().getAcquired().getClaim();
  }

  @Test
  @DisplayName("given a stream, then each call gets the answer of its rpc")
  void verbs() throws InterruptedException {
    var claim = acquired();
    send(
        Call.newBuilder()
            .setCallId(2)
            .setRenewOperation(RenewOperationRequest.newBuilder().setClaim(claim)));
    assertThat(answer().getRenewOperation().hasRenewed()).isTrue();
    send(
        Call.newBuilder()
            .setCallId(3)
            .setFailOperation(FailOperationRequest.newBuilder().setClaim(claim)));
    assertThat(answer().getFailOperation().hasFailed()).isTrue();
    send(
        Call.newBuilder()
            .setCallId(4)
            .setCompleteOperation(CompleteOperationRequest.newBuilder().setClaim(claim)));
    assertThat(answer().getCompleteOperation().hasClaimLost()).isTrue();
    send(Call.newBuilder().setCallId(5));
    var error = answer();
    assertThat(error.getCallId()).isEqualTo(5);
    assertThat(error.getError().getMessage()).isEqualTo("request is required");
  }

  @Test
  @DisplayName("given a waiting call, then others are answered, and it is when the holder ends")
  void waits() throws InterruptedException {
    var claim = acquired();
    send(begin(2, "b", LONG));
    send(
        Call.newBuilder()
            .setCallId(3)
            .setCompleteOperation(CompleteOperationRequest.newBuilder().setClaim(claim)));

    var first = answer();
    var second = answer();
    var waited = first.getCallId() == 2 ? first : second;
    assertThat(waited.getBeginOperation().getOutcomeCase()).isEqualTo(OutcomeCase.REPLAY);
  }

  @Test
  @DisplayName("given a cancelled call, then its place is free and it gets no answer")
  void cancelled() throws Exception {
    acquired();
    send(begin(2, "b", LONG));
    assertThat(places.size()).isOne();

    stream.onNext(OperationStreamRequest.newBuilder().addCancelledCallIds(2).build());

    assertThat(places.size()).isZero();
    stream.onCompleted();
    assertThat(end()).isEqualTo(Status.OK);
    assertThat(answers.all).isEmpty();
  }

  @Test
  @DisplayName(
      "given the id of an active call, when it is sent again, then the stream and its waits end")
  void duplicate() throws Exception {
    acquired();
    send(begin(2, "b", LONG));
    send(begin(2, "c", LONG));

    assertThat(end().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(end().getDescription())
        .isEqualTo("call_id must not be that of an active call (was 2)");
    assertThat(places.size()).isZero();
  }

  @Test
  @DisplayName("given an answered call, then its id can be used again")
  void again() throws InterruptedException {
    acquired();
    send(begin(1, "a", Duration.getDefaultInstance()));
    assertThat(answer().getBeginOperation().getAcquired().getReentrant()).isTrue();
  }
}
