package dev.hapax.grpc.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.hapax.grpc.call.Refusal;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class HapaxServerTest {
  private static final MethodDescriptor<HealthCheckRequest, HealthCheckResponse> HOLD =
      MethodDescriptor.<HealthCheckRequest, HealthCheckResponse>newBuilder()
          .setType(MethodType.UNARY)
          .setFullMethodName("test.v1.Held/Hold")
          .setRequestMarshaller(ProtoUtils.marshaller(HealthCheckRequest.getDefaultInstance()))
          .setSchemaDescriptor(HealthGrpc.getCheckMethod().getSchemaDescriptor())
          .setResponseMarshaller(ProtoUtils.marshaller(HealthCheckResponse.getDefaultInstance()))
          .build();
  private static final MethodDescriptor<HealthCheckRequest, HealthCheckResponse> STREAM =
      HOLD.toBuilder()
          .setType(MethodType.SERVER_STREAMING)
          .setFullMethodName("test.v1.Held/Stream")
          .build();
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(100);

  private final BlockingQueue<StreamObserver<HealthCheckResponse>> held =
      new LinkedBlockingQueue<>();
  private int port;
  private final List<ManagedChannel> channels = new ArrayList<>();

  @AfterEach
  void closeChannels() {
    channels.forEach(ManagedChannel::shutdownNow);
  }

  @Test
  void letsCallsUnderWayFinishAndTakesNoNewOnes() throws Exception {
    var server = start(LONG);
    var active = call();
    var answer = held.take();

    var closed = stop(server);
    awaitRefusal();
    assertThat(closed).isNotDone();
    answer.onNext(HealthCheckResponse.getDefaultInstance());
    answer.onCompleted();

    assertThat(active.get()).isEqualTo(HealthCheckResponse.getDefaultInstance());
    closed.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void endsCallsThatOutlastTheDrain() throws Exception {
    var server = start(SHORT);
    var active = call();
    held.take();

    server.stop();

    var error = catchThrowableOfType(ExecutionException.class, active::get).getCause();
    var refusal = Refusal.of((StatusRuntimeException) Objects.requireNonNull(error));
    assertThat(refusal.code()).isEqualTo(Code.UNAVAILABLE);
    assertThat(refusal.reason()).isEqualTo("UNAVAILABLE");
  }

  @RepeatedTest(30)
  @DisplayName("given calls that arrive while it stops, then each is answered or UNAVAILABLE [U1]")
  void answersCallsThatArriveDuringTheStop() throws Exception {
    var server = start(LONG);
    var answered = new CountDownLatch(200);
    var answering =
        Thread.startVirtualThread(
            () -> {
              try {
                while (true) {
                  var call = held.take();
                  call.onNext(HealthCheckResponse.getDefaultInstance());
                  call.onCompleted();
                  answered.countDown();
                }
              } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
              }
            });
    var channel = channel();
    var callers =
        Stream.generate(() -> CompletableFuture.supplyAsync(() -> callUntilRefused(channel)))
            .limit(8)
            .toList();
    answered.await();

    server.stop();

    for (var caller : callers) {
      assertThat(caller.get(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo(Code.UNAVAILABLE);
    }
    answering.interrupt();
  }

  private static Code callUntilRefused(ManagedChannel channel) {
    while (true) {
      try {
        ClientCalls.blockingUnaryCall(
            channel, HOLD, CallOptions.DEFAULT, HealthCheckRequest.getDefaultInstance());
      } catch (StatusRuntimeException e) {
        return e.getStatus().getCode();
      }
    }
  }

  @Test
  @DisplayName("given a health watch, when the server stops, then the watch ends as UNAVAILABLE")
  void endsHealthWatches() throws Exception {
    var server = start(LONG);
    var watch =
        HealthGrpc.newBlockingStub(channel()).watch(HealthCheckRequest.getDefaultInstance());
    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);

    var stopped = stop(server);

    assertThatThrownBy(() -> watch.forEachRemaining(_ -> {}))
        .extracting(error -> Status.fromThrowable(error).getCode())
        .isEqualTo(Code.UNAVAILABLE);
    stopped.get(LONG.toSeconds() / 2, TimeUnit.SECONDS);
  }

  @Test
  void forgetsCallsThatWereCancelled() throws Exception {
    var server = start(LONG);
    var cancelled = call();
    held.take();
    cancelled.cancel(true);

    // would take as long as the drain if the call still counted
    stop(server).get(LONG.toSeconds() / 2, TimeUnit.SECONDS);
  }

  @Test
  @DisplayName(
      "given a component with its own health, then its failure does not affect the services")
  void tellsWhoIsLate() throws Exception {
    var server = start(SHORT);
    server.setServing(true);
    server.setServing("janitor", false);
    assertThat(health("janitor")).isEqualTo(ServingStatus.NOT_SERVING);
    assertThat(health("test.v1.Held")).isEqualTo(ServingStatus.SERVING);
    assertThat(health("")).isEqualTo(ServingStatus.SERVING);
    server.setServing("janitor", true);
    assertThat(health("janitor")).isEqualTo(ServingStatus.SERVING);
    server.stop();
  }

  private ServingStatus health(String service) {
    var request = HealthCheckRequest.newBuilder().setService(service).build();
    return HealthGrpc.newBlockingStub(channel()).check(request).getStatus();
  }

  @Test
  @DisplayName(
      "given a message above 1 MiB, then the error names the field that is too large " + "[X4]")
  void refusesAMessageAboveTheLimit() throws Exception {
    var server = start(SHORT);
    var tooLong = HealthCheckRequest.newBuilder().setService("x".repeat(1 << 20)).build();

    var refused =
        ClientCalls.futureUnaryCall(channel().newCall(HOLD, CallOptions.DEFAULT), tooLong);

    assertThatThrownBy(refused::get)
        .hasMessageContaining("INVALID_ARGUMENT: service has 1048580 bytes");
    server.stop();
  }

  @Test
  @DisplayName("given no request message, or several, then the caller gets a status, not a reset")
  void refusesAnyNumberOfMessagesButOne() throws Exception {
    var server = start(SHORT);
    for (var method : List.of(HOLD, STREAM)) {
      for (var messages : List.of(0, 2, 3)) {
        var ended = new CompletableFuture<Status>();
        send(method, messages, ended).halfClose();
        assertThat(ended.get(LONG.toSeconds(), TimeUnit.SECONDS).getCode())
            .as("%s with %d messages", method.getFullMethodName(), messages)
            .isEqualTo(Code.INVALID_ARGUMENT);
      }
    }
    assertThat(held).isEmpty();
    server.stop();
  }

  @Test
  @DisplayName("given two request messages, when the client never half-closes, then the call ends")
  void refusesTwoMessagesOfAClientThatNeverHalfCloses() throws Exception {
    var server = start(LONG);
    var ended = new CompletableFuture<Status>();
    var _ = send(HOLD, 2, ended);

    assertThat(ended.get(LONG.toSeconds(), TimeUnit.SECONDS).getDescription())
        .isEqualTo("a unary call must carry exactly one request message");
    // would take as long as the drain if the call still counted
    stop(server).get(LONG.toSeconds() / 2, TimeUnit.SECONDS);
  }

  private ClientCall<?, ?> send(
      MethodDescriptor<HealthCheckRequest, HealthCheckResponse> method,
      int messages,
      CompletableFuture<Status> ended) {
    var call = channel().newCall(method, CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            ended.complete(status);
          }
        },
        new Metadata());
    call.request(1);
    for (var i = 0; i < messages; i++) {
      call.sendMessage(HealthCheckRequest.getDefaultInstance());
    }
    return call;
  }

  private HapaxServer start(Duration drain) throws Exception {
    BindableService holding =
        () ->
            ServerServiceDefinition.builder("test.v1.Held")
                .addMethod(HOLD, ServerCalls.asyncUnaryCall((_, answer) -> held.add(answer)))
                .addMethod(
                    STREAM, ServerCalls.asyncServerStreamingCall((_, answer) -> held.add(answer)))
                .build();
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    var server =
        new HapaxServer(
            new GrpcServerConfig(address, false, drain),
            Set.of(holding),
            Optional.empty(),
            Optional.empty());
    port = server.start();
    return server;
  }

  private static CompletableFuture<Void> stop(HapaxServer server) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            server.stop();
          } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private ManagedChannel channel() {
    var channel = ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    channels.add(channel);
    return channel;
  }

  private Future<HealthCheckResponse> call() {
    return ClientCalls.futureUnaryCall(
        channel().newCall(HOLD, CallOptions.DEFAULT), HealthCheckRequest.getDefaultInstance());
  }

  // the port stays bound for a moment, so calls that still got in are answered and tried again
  private void awaitRefusal() throws Exception {
    var channel = channel();
    while (true) {
      var call =
          ClientCalls.futureUnaryCall(
              channel.newCall(HOLD, CallOptions.DEFAULT), HealthCheckRequest.getDefaultInstance());
      while (!call.isDone()) {
        var gotIn = held.poll(10, TimeUnit.MILLISECONDS);
        if (gotIn != null) {
          gotIn.onNext(HealthCheckResponse.getDefaultInstance());
          gotIn.onCompleted();
        }
      }
      var code = codeOf(call);
      if (code == Code.UNAVAILABLE) {
        return;
      }
      assertThat(code).isEqualTo(Code.OK);
    }
  }

  private static Code codeOf(Future<?> call) throws InterruptedException {
    try {
      call.get();
      return Code.OK;
    } catch (ExecutionException e) {
      return Status.fromThrowable(e).getCode();
    }
  }
}
