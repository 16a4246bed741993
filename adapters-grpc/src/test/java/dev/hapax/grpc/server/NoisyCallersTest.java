package dev.hapax.grpc.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.security.Authenticator;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Credentials;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.grpc.call.CallReceiver;
import dev.hapax.grpc.call.CallStream;
import dev.hapax.grpc.call.Refusal;
import dev.hapax.grpc.call.SealedClaims;
import dev.hapax.grpc.call.StreamMessages;
import dev.hapax.grpc.quota.CallerLimits;
import dev.hapax.grpc.quota.ConnectionLimits;
import dev.hapax.grpc.security.AuditLog;
import dev.hapax.grpc.security.CallAuthentication;
import dev.hapax.grpc.security.IdentityGrpc;
import dev.hapax.grpc.security.OpenCalls;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.GetOperationResponse;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationStreamRequest;
import dev.hapax.v1.OperationStreamResponse;
import dev.hapax.v1.OperationStreamResponse.Answer;
import dev.hapax.v1.RenewOperationRequest;
import dev.hapax.v1.RenewOperationResponse;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.WhoAmIRequest;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One caller's limits, over the wire, and what they leave to others. */
@Tag("A8")
class NoisyCallersTest {
  private static final String PRINCIPAL_RATE = "calls-per-second-per-principal";
  private static final String WORKSPACE_RATE = "calls-per-second-per-workspace";
  private static final Metadata.Key<String> BEARER =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final StreamMessages<
          OperationStreamResponse, Answer, OperationStreamResponse.Builder>
      MESSAGES =
          new StreamMessages<>(
              OperationStreamResponse::newBuilder,
              OperationStreamResponse.Builder::addAnswers,
              (id, error) -> Answer.newBuilder().setCallId(id).setError(error).build(),
              OperationStreamResponse.Builder::build);

  private final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));
  private final BlockingQueue<StreamObserver<AwaitRunResponse>> waits = new LinkedBlockingQueue<>();
  private final BlockingQueue<CompletableFuture<Object>> streamWaits = new LinkedBlockingQueue<>();
  private Optional<HapaxServer> server = Optional.empty();
  private Optional<ManagedChannel> channel = Optional.empty();
  private Optional<BiFunction<InetSocketAddress, Optional<X509Certificate>, Channel>> http =
      Optional.empty();

  /** Knows callers whose key names them, after a workspace in which they may call. */
  private static final class NamedCallers implements Authenticator {
    @Override
    public Recognition recognize(Credentials credentials) {
      var key = credentials.bearer().orElseThrow();
      var grant = RoleGrant.parse("role=worker workspace=" + key.split("_", 2)[0]);
      return new Recognition.Known(
          new Authenticated(
              new Principal(Principal.Kind.API_KEY, key, List.of(grant)),
              Optional.empty(),
              Instant.MAX));
    }

    @Override
    public boolean isLive(Authenticated caller) {
      return true;
    }
  }

  private final class Operations extends OperationServiceGrpc.OperationServiceImplBase {
    @Override
    public void getOperation(
        GetOperationRequest request, StreamObserver<GetOperationResponse> caller) {
      caller.onNext(GetOperationResponse.getDefaultInstance());
      caller.onCompleted();
    }

    @Override
    public void renewOperation(
        RenewOperationRequest request, StreamObserver<RenewOperationResponse> caller) {
      caller.onNext(RenewOperationResponse.getDefaultInstance());
      caller.onCompleted();
    }

    @Override
    public StreamObserver<OperationStreamRequest> operationStream(
        StreamObserver<OperationStreamResponse> caller) {
      var stream =
          new CallStream<>((ServerCallStreamObserver<OperationStreamResponse>) caller, MESSAGES);
      return new CallReceiver<>(
              stream,
              OperationStreamRequest::getCallsList,
              OperationStreamRequest::getCancelledCallIdsList,
              (OperationStreamRequest.Call call) ->
                  stream.answer(
                      call.getCallId(),
                      call.getBeginOperation(),
                      this::begin,
                      _ -> Answer.newBuilder().setCallId(call.getCallId()).build()))
          .start();
    }

    private CompletableFuture<?> begin(BeginOperationRequest request) {
      var begun = new CompletableFuture<>();
      if (request.hasWait()) {
        streamWaits.add(begun);
      } else {
        begun.complete("");
      }
      return begun;
    }
  }

  /** Answers the messages of its streams. */
  private static final class Workers extends WorkerServiceGrpc.WorkerServiceImplBase {
    @Override
    public StreamObserver<WorkRequest> work(StreamObserver<WorkResponse> worker) {
      return new StreamObserver<>() {
        @Override
        public void onNext(WorkRequest message) {
          worker.onNext(WorkResponse.getDefaultInstance());
        }

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {
          worker.onCompleted();
        }
      };
    }
  }

  /** Keeps calls waiting. */
  private final class Runs extends RunServiceGrpc.RunServiceImplBase {
    @Override
    public void awaitRun(AwaitRunRequest request, StreamObserver<AwaitRunResponse> caller) {
      waits.add(caller);
    }
  }

  private void start(CallerLimits limits) throws IOException {
    var authenticator = new NamedCallers();
    var started =
        new HapaxServer(
            new GrpcServerConfig(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                false,
                Duration.ZERO,
                Optional.empty(),
                ConnectionLimits.DEFAULT,
                limits),
            Set.of(new Operations(), new Runs(), new Workers(), new IdentityGrpc()),
            Optional.of(
                new CallAuthentication(
                    authenticator,
                    new OpenCalls(authenticator),
                    new AuditLog(InstantSource.system()),
                    nanos::get)),
            Optional.empty(),
            1 << 20,
            nanos::get);
    server = Optional.of(started);
    channel =
        Optional.of(
            ManagedChannelBuilder.forAddress("127.0.0.1", started.start()).usePlaintext().build());
  }

  @AfterEach
  void stop() throws InterruptedException {
    channel.orElseThrow().shutdownNow();
    server.orElseThrow().stop();
  }

  private <S extends AbstractStub<S>> S as(String key, Function<Channel, S> stub) {
    var headers = new Metadata();
    headers.put(BEARER, "Bearer " + key);
    return stub.apply(channel.orElseThrow())
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  private OperationServiceGrpc.OperationServiceBlockingStub operations(String key) {
    return as(key, OperationServiceGrpc::newBlockingStub);
  }

  private static GetOperationRequest get(String workspace) {
    return GetOperationRequest.newBuilder()
        .setWorkspace(workspace)
        .setOperation("place")
        .setRequestId("1")
        .build();
  }

  /** Makes calls until so many were made, and returns how many had each result. */
  private static Map<String, Long> results(int calls, Runnable call) {
    return IntStream.range(0, calls)
        .mapToObj(_ -> result(call))
        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
  }

  private static String result(Runnable call) {
    try {
      call.run();
      return "ok";
    } catch (StatusRuntimeException e) {
      return result(Refusal.of(e));
    }
  }

  private static String result(Refusal refusal) {
    if (!refusal.reason().equals("RATE_LIMITED")) {
      return refusal.reason();
    }
    assertThat(refusal.retryAfter()).isPresent();
    return Objects.requireNonNull(refusal.metadata().get("limit"));
  }

  /** A client of a stream that receives the answers. */
  private final class Stream implements StreamObserver<OperationStreamResponse> {
    final BlockingQueue<String> results = new LinkedBlockingQueue<>();
    private final StreamObserver<OperationStreamRequest> requests;
    private int calls;

    Stream(String key) {
      requests = as(key, OperationServiceGrpc::newStub).operationStream(this);
    }

    /** Sends a message of calls. */
    void send(String workspace, int count) {
      send(count, BeginOperationRequest.newBuilder().setWorkspace(workspace));
    }

    /** Sends a message of calls that wait. */
    void sendWaits(String workspace, int count) {
      var wait = com.google.protobuf.Duration.newBuilder().setSeconds(20);
      send(count, BeginOperationRequest.newBuilder().setWorkspace(workspace).setWait(wait));
    }

    private void send(int count, BeginOperationRequest.Builder request) {
      var message = OperationStreamRequest.newBuilder();
      for (var i = 0; i < count; i++) {
        message.addCallsBuilder().setCallId(calls++).setBeginOperation(request);
      }
      requests.onNext(message.build());
    }

    /** Ends the stream without waiting for answers. */
    void leave() {
      requests.onError(new StatusRuntimeException(Status.CANCELLED));
    }

    Map<String, Long> results(int count) throws InterruptedException {
      var received = new ArrayList<String>();
      for (var i = 0; i < count; i++) {
        received.add(Objects.requireNonNull(results.poll(1, TimeUnit.MINUTES)));
      }
      return received.stream()
          .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    @Override
    public void onNext(OperationStreamResponse message) {
      message
          .getAnswersList()
          .forEach(
              answer ->
                  results.add(answer.hasError() ? result(Refusal.of(answer.getError())) : "ok"));
    }

    @Override
    public void onError(Throwable failure) {
      results.add(result(Refusal.of((StatusRuntimeException) failure)));
    }

    @Override
    public void onCompleted() {}
  }

  /** A Work stream that was opened, and its results. */
  private final class Work implements StreamObserver<WorkResponse> {
    final StreamObserver<WorkRequest> requests;
    private final BlockingQueue<String> results = new LinkedBlockingQueue<>();

    Work(String key) {
      requests = as(key, WorkerServiceGrpc::newStub).work(this);
      requests.onNext(
          WorkRequest.newBuilder()
              .setOpen(
                  WorkRequest.Open.newBuilder()
                      .setWorkspace("home")
                      .addQueues("mail")
                      .setWorkerId("worker"))
              .build());
    }

    String result() throws InterruptedException {
      return Objects.requireNonNull(results.poll(1, TimeUnit.MINUTES));
    }

    @Override
    public void onNext(WorkResponse message) {
      results.add("ok");
    }

    @Override
    public void onError(Throwable failure) {
      results.add(NoisyCallersTest.result(Refusal.of((StatusRuntimeException) failure)));
    }

    @Override
    public void onCompleted() {}
  }

  @Test
  @DisplayName("given a stream of calls in a foreign workspace, then that workspace owes nothing")
  void foreignWorkspace() throws Exception {
    start(new CallerLimits(10, 0, 1, 1, 1));
    var stream = new Stream("attacker_1");
    stream.send("victim", 1_000);
    assertThat(stream.results(1_000)).isEqualTo(Map.of("PERMISSION_DENIED", 1_000L));
    assertThat(results(10, () -> operations("victim_1").getOperation(get("victim"))))
        .isEqualTo(Map.of("ok", 10L));
  }

  @Test
  @DisplayName("given stream after stream, then the calls above a second's credit are refused")
  void streamAfterStream() throws Exception {
    start(new CallerLimits(10, 0, 1, 1, 1));
    var results = new HashMap<String, Long>();
    for (var i = 0; i < 5; i++) {
      var stream = new Stream("home_" + i);
      stream.send("home", 100);
      stream.results(100).forEach((result, count) -> results.merge(result, count, Long::sum));
    }
    assertThat(results).isEqualTo(Map.of("ok", 20L, WORKSPACE_RATE, 480L));
    nanos.addAndGet(Duration.ofMillis(1_100).toNanos());
    operations("home_1").getOperation(get("home"));
  }

  @Test
  @DisplayName("given a principal in debt, then its next stream is refused, and another's is not")
  void principalInDebt() throws Exception {
    start(new CallerLimits(0, 10, 1, 1, 1));
    var first = new Stream("home_1");
    first.send("home", 100);
    assertThat(first.results(100)).isEqualTo(Map.of("ok", 20L, PRINCIPAL_RATE, 80L));
    assertThat(new Stream("home_1").results(1)).isEqualTo(Map.of(PRINCIPAL_RATE, 1L));
    var other = new Stream("home_2");
    other.send("home", 1);
    assertThat(other.results(1)).isEqualTo(Map.of("ok", 1L));
  }

  @Test
  @DisplayName("given calls on credit, then the next message is read when they are paid for")
  void slowed() throws Exception {
    start(new CallerLimits(10, 0, 1, 1, 1));
    var stream = new Stream("home_1");
    var begun = System.nanoTime();
    stream.send("home", 20);
    stream.send("home", 1);
    assertThat(stream.results(21)).isEqualTo(Map.of("ok", 20L, WORKSPACE_RATE, 1L));
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(900));
  }

  @Test
  @DisplayName("given a request with a claim alone, then the workspace of the claim is charged")
  void workspaceOfAClaim() throws Exception {
    start(new CallerLimits(10, 0, 1, 1, 1));
    var claim =
        new SealedClaims(new KeyedIds(new byte[32]), "action_")
            .write(new Workspace("home"), new Fence(1), new byte[8]);
    var renewal = RenewOperationRequest.newBuilder().setClaim(claim).build();
    assertThat(results(100, () -> operations("home_1").renewOperation(renewal)))
        .isEqualTo(Map.of("ok", 10L, WORKSPACE_RATE, 90L));
    assertThat(Refusal.of(() -> operations("home_1").renewOperation(renewal)).metadata())
        .containsEntry("workspace", "home");
    operations("default_1").getOperation(get("default"));
  }

  @Test
  @DisplayName(
      "given calls without a workspace, or denied ones, then their principal pays for them")
  void everyCall() throws Exception {
    start(new CallerLimits(0, 10, 1, 1, 1));
    var identity = as("home_1", IdentityServiceGrpc::newBlockingStub);
    assertThat(results(100, () -> identity.whoAmI(WhoAmIRequest.getDefaultInstance())))
        .isEqualTo(Map.of("ok", 10L, PRINCIPAL_RATE, 90L));
    assertThat(results(100, () -> operations("home_2").getOperation(get("victim"))))
        .isEqualTo(Map.of("PERMISSION_DENIED", 10L, PRINCIPAL_RATE, 90L));
    var runs = as("home_3", RunServiceGrpc::newBlockingStub);
    assertThat(results(100, () -> runs.cancelRun(CancelRunRequest.getDefaultInstance())))
        .isEqualTo(Map.of("PERMISSION_DENIED", 10L, PRINCIPAL_RATE, 90L));
  }

  @Test
  @DisplayName("given a noisy principal, then its refused calls take nothing of their workspace")
  void neighbours() throws Exception {
    start(new CallerLimits(15, 10, 1, 1, 1));
    assertThat(results(100, () -> operations("home_1").getOperation(get("home"))))
        .isEqualTo(Map.of("ok", 10L, PRINCIPAL_RATE, 90L));
    assertThat(results(5, () -> operations("home_2").getOperation(get("home"))))
        .isEqualTo(Map.of("ok", 5L));
  }

  @Test
  @Timeout(60)
  @DisplayName("given as many waiting calls as allowed, then the next is refused until one ends")
  void waitLimit() throws Exception {
    start(new CallerLimits(0, 0, 1, 1, 2));
    var runs = as("home_1", RunServiceGrpc::newFutureStub);
    var wait = AwaitRunRequest.newBuilder().setWorkspace("home").setRunId("run").build();
    var _ = runs.awaitRun(wait);
    var _ = runs.awaitRun(wait);
    var one = waits.take();
    var _ = waits.take();
    assertThat(result(() -> as("home_1", RunServiceGrpc::newBlockingStub).awaitRun(wait)))
        .isEqualTo("waits-per-principal");
    one.onNext(AwaitRunResponse.getDefaultInstance());
    one.onCompleted();
    // the place is free when the server knows that the call has ended
    while (waits.poll(100, TimeUnit.MILLISECONDS) == null) {
      var _ = runs.awaitRun(wait);
    }
  }

  @Test
  @DisplayName("given waits on streams, then one more is refused until one of them is answered")
  void waitsOnStreams() throws Exception {
    start(new CallerLimits(0, 0, 1, 1, 2));
    var stream = new Stream("home_1");
    stream.sendWaits("home", 3);
    assertThat(stream.results(1)).isEqualTo(Map.of("waits-per-principal", 1L));
    stream.send("home", 1);
    assertThat(stream.results(1)).isEqualTo(Map.of("ok", 1L));
    var answered = streamWaits.take();
    var _ = streamWaits.take();
    answered.complete("");
    assertThat(stream.results(1)).isEqualTo(Map.of("ok", 1L));
    stream.sendWaits("home", 2);
    assertThat(stream.results(1)).isEqualTo(Map.of("waits-per-principal", 1L));
    assertThat(streamWaits.poll(1, TimeUnit.MINUTES)).isNotNull();
    var other = new Stream("home_2");
    other.sendWaits("home", 1);
    assertThat(streamWaits.poll(1, TimeUnit.MINUTES)).isNotNull();
  }

  @Test
  @Timeout(60)
  @DisplayName("given a stream with waits that its client leaves, then their places are free")
  void waitsOfAStreamThatEnds() throws Exception {
    start(new CallerLimits(0, 0, 1, 1, 2));
    var left = new Stream("home_1");
    left.sendWaits("home", 2);
    var _ = streamWaits.take();
    var _ = streamWaits.take();
    left.leave();
    var stream = new Stream("home_1");
    while (streamWaits.isEmpty()) {
      stream.sendWaits("home", 1);
      // a refused wait has an answer, and a waiting one has none
      var _ = stream.results.poll(100, TimeUnit.MILLISECONDS);
    }
  }

  @Test
  @Timeout(60)
  @DisplayName("given Work streams, then each counts as one wait until it ends")
  void workStreams() throws Exception {
    start(new CallerLimits(0, 0, 1, 1, 1));
    var first = new Work("home_1");
    assertThat(first.result()).isEqualTo("ok");
    assertThat(new Work("home_1").result()).isEqualTo("waits-per-principal");
    assertThat(new Work("home_2").result()).isEqualTo("ok");
    first.requests.onCompleted();
    // the place is free when the server knows that the stream has ended
    while (!new Work("home_1").result().equals("ok")) {
      Thread.onSpinWait();
    }
  }

  /** Waits by HTTP from an address; the limit that refuses it, or ok. */
  private String waitByHttp(String from, String key) {
    var headers = new Metadata();
    headers.put(BEARER, "Bearer " + key);
    var before = waits.size();
    var refusals = new LinkedBlockingQueue<String>();
    RunServiceGrpc.newStub(
            http.orElseThrow().apply(new InetSocketAddress(from, 1), Optional.empty()))
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
        .awaitRun(
            AwaitRunRequest.newBuilder().setWorkspace(key.split("_", 2)[0]).setRunId("run").build(),
            new StreamObserver<>() {
              @Override
              public void onNext(AwaitRunResponse answer) {}

              @Override
              public void onError(Throwable failure) {
                refusals.add(result(Refusal.of((StatusRuntimeException) failure)));
              }

              @Override
              public void onCompleted() {}
            });
    while (waits.size() == before && refusals.isEmpty()) {
      Thread.onSpinWait();
    }
    return Objects.requireNonNullElse(refusals.poll(), "ok");
  }

  @Test
  @Timeout(60)
  @DisplayName(
      "given open calls by HTTP from any address, then one principal has a quarter of the places and"
          + " one workspace half of them, until its calls end [security-S2]")
  void httpShares() throws Exception {
    start(CallerLimits.DEFAULT);
    http = Optional.of(server.orElseThrow().startInProcess());
    for (var key : List.of("eu_1", "eu_2")) {
      for (var i = 0; i < 256; i++) {
        assertThat(waitByHttp("10.0.0." + i % 100, key)).isEqualTo("ok");
      }
    }
    assertThat(waitByHttp("10.0.1.1", "eu_1")).isEqualTo("http-calls-per-principal");
    assertThat(waitByHttp("10.0.1.1", "eu_3")).isEqualTo("http-calls-per-workspace");
    assertThat(waitByHttp("10.0.1.1", "us_1")).isEqualTo("ok");
    assertThat(results(1, () -> operations("eu_1").getOperation(get("eu"))))
        .containsExactly(Map.entry("ok", 1L));

    var first = waits.remove();
    first.onNext(AwaitRunResponse.getDefaultInstance());
    first.onCompleted();
    assertThat(waitByHttp("10.0.1.1", "eu_1")).isEqualTo("ok");
  }
}
