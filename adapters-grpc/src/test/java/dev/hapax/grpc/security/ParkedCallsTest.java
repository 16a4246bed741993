package dev.hapax.grpc.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.application.security.Authenticator;
import dev.hapax.application.security.TokenVerifier;
import dev.hapax.domain.security.Authentication;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Authentication.Reason;
import dev.hapax.domain.security.Authentication.Refused;
import dev.hapax.domain.security.Credentials;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.Role;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.grpc.server.GrpcServerConfig;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WatchRunResponse;
import io.grpc.BindableService;
import io.grpc.CallCredentials;
import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls over the wire whose caller is authenticated later. */
@Tag("A5")
class ParkedCallsTest {
  private static final Authenticated VIEWER = caller(Role.VIEWER);
  private static final String KNOWN = "known";
  private static final String LATER = "later";

  private final Later authenticator = new Later();
  private final Handler handler = new Handler();
  private final CountDownLatch cancelled = new CountDownLatch(1);
  private final ManualScheduler timer = new ManualScheduler(new SettableClock());
  private Optional<HapaxServer> server = Optional.empty();
  private Optional<ManagedChannel> channel = Optional.empty();

  @BeforeEach
  void start() throws Exception {
    var open = new OpenCalls(authenticator);
    open.checkEvery(timer);
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    var started =
        new HapaxServer(
            new GrpcServerConfig(address, false, Duration.ofSeconds(1)),
            Set.of(handler),
            Optional.of(
                new CallAuthentication(
                    authenticator, open, new AuditLog(InstantSource.system()), System::nanoTime)),
            Optional.of(observing()));
    channel =
        Optional.of(
            ManagedChannelBuilder.forAddress("127.0.0.1", started.start()).usePlaintext().build());
    server = Optional.of(started);
  }

  @AfterEach
  void stop() throws Exception {
    channel.orElseThrow().shutdownNow();
    server.orElseThrow().stop();
  }

  /** Shows when the server has heard that a call was cancelled. */
  private ServerInterceptor observing() {
    return new ServerInterceptor() {
      @Override
      public <Q, A> ServerCall.Listener<Q> interceptCall(
          ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
          @Override
          public void onCancel() {
            super.onCancel();
            cancelled.countDown();
          }
        };
      }
    };
  }

  @Test
  @DisplayName(
      "given a parked call, when its caller is known, then it is handled with its deadline")
  void resumes() throws Exception {
    var answer = await(LATER);
    authenticator.asked.take();
    assertThat(handler.contexts).isEmpty();

    authenticator.later.complete(VIEWER);

    assertThat(answer.get(10, TimeUnit.SECONDS)).isEqualTo(AwaitRunResponse.getDefaultInstance());
    assertThat(handler.contexts.take().getDeadline()).isNotNull();
  }

  @Test
  @DisplayName("given a parked call, then other calls of its connection are answered")
  void othersGoOn() throws Exception {
    var parked = await(LATER);
    authenticator.asked.take();

    assertThat(await(KNOWN).get(10, TimeUnit.SECONDS))
        .isEqualTo(AwaitRunResponse.getDefaultInstance());
    assertThat(parked).isNotDone();
  }

  @Test
  @DisplayName("given a parked call, when it is cancelled, then it is never handled")
  void cancelled() throws Exception {
    var answer = await(LATER);
    authenticator.asked.take();
    answer.cancel(true);
    cancelled.await();

    authenticator.later.complete(VIEWER);

    assertThat(await(KNOWN).get(10, TimeUnit.SECONDS)).isNotNull();
    assertThat(handler.contexts).hasSize(1);
  }

  @Test
  @DisplayName("given a parked call, when its caller is refused, then it is UNAUTHENTICATED")
  void refused() throws Exception {
    var answer = await(LATER);
    authenticator.asked.take();

    authenticator.later.complete(new Refused(Reason.TOKEN));

    assertThat(status(answer).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    assertThat(handler.contexts).isEmpty();
  }

  @Test
  @DisplayName("given a parked call, when its caller has no right, then it is PERMISSION_DENIED")
  void denied() throws Exception {
    var answer = await(LATER);
    authenticator.asked.take();

    authenticator.later.complete(caller(Role.WEBHOOK));

    assertThat(status(answer).getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
    assertThat(handler.contexts).isEmpty();
  }

  @Test
  @DisplayName(
      "given a stream, when its caller is revoked, then it ends, and its handler finds it cancelled")
  void revoked() throws Exception {
    var ended = new CompletableFuture<Status>();
    RunServiceGrpc.newStub(channel.orElseThrow())
        .withCallCredentials(new Bearer(KNOWN))
        .watchRun(WatchRunRequest.newBuilder().setRunId("run").build(), ending(ended));
    var watcher = handler.watchers.take();
    watcher.onNext(WatchRunResponse.getDefaultInstance());

    authenticator.live = false;
    timer.advance(Duration.ofSeconds(5));

    watcher.onNext(WatchRunResponse.getDefaultInstance());
    watcher.onCompleted();
    assertThat(ended.get(10, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    handler.stopped.await();
  }

  private Future<AwaitRunResponse> await(String secret) {
    return RunServiceGrpc.newFutureStub(channel.orElseThrow())
        .withCallCredentials(new Bearer(secret))
        .withDeadlineAfter(30, TimeUnit.SECONDS)
        .awaitRun(AwaitRunRequest.newBuilder().setRunId("run").build());
  }

  private static Status status(Future<?> answer) {
    var failure = new CompletableFuture<Throwable>();
    assertThatThrownBy(() -> answer.get(10, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .satisfies(failure::complete);
    return Status.fromThrowable(failure.join());
  }

  private static Authenticated caller(Role role) {
    var principal =
        new Principal(Principal.Kind.TOKEN, "alice", List.of(RoleGrant.everywhere(role)));
    return new Authenticated(principal, Optional.empty(), Instant.MAX);
  }

  private static StreamObserver<WatchRunResponse> ending(CompletableFuture<Status> ended) {
    return new StreamObserver<>() {
      @Override
      public void onNext(WatchRunResponse value) {}

      @Override
      public void onError(Throwable failure) {
        ended.complete(Status.fromThrowable(failure));
      }

      @Override
      public void onCompleted() {
        ended.complete(Status.OK);
      }
    };
  }

  /** Knows one secret at once, and another one later. */
  private static final class Later implements Authenticator, TokenVerifier {
    private final CompletableFuture<Authentication> later = new CompletableFuture<>();
    private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
    private volatile boolean live = true;

    @Override
    public Recognition recognize(Credentials credentials) {
      return credentials.bearer().filter(LATER::equals).isPresent()
          ? new Recognition.Unverified(LATER, this)
          : new Recognition.Known(VIEWER);
    }

    @Override
    public Optional<Authenticated> known(String token) {
      return Optional.empty();
    }

    @Override
    public CompletableFuture<Authentication> verify(String token) {
      asked.add(token);
      return later;
    }

    @Override
    public boolean isLive(Authenticated caller) {
      return live;
    }
  }

  /** Answers at once, and keeps streams. */
  private static final class Handler implements RunServiceGrpc.AsyncService, BindableService {
    private final BlockingQueue<Context> contexts = new LinkedBlockingQueue<>();
    private final BlockingQueue<StreamObserver<WatchRunResponse>> watchers =
        new LinkedBlockingQueue<>();
    private final CountDownLatch stopped = new CountDownLatch(1);

    @Override
    public ServerServiceDefinition bindService() {
      return RunServiceGrpc.bindService(this);
    }

    @Override
    public void awaitRun(AwaitRunRequest request, StreamObserver<AwaitRunResponse> caller) {
      contexts.add(Context.current());
      caller.onNext(AwaitRunResponse.getDefaultInstance());
      caller.onCompleted();
    }

    @Override
    public void watchRun(WatchRunRequest request, StreamObserver<WatchRunResponse> caller) {
      ((ServerCallStreamObserver<?>) caller).setOnCancelHandler(stopped::countDown);
      watchers.add(caller);
    }
  }

  private static final class Bearer extends CallCredentials {
    private final String secret;

    Bearer(String secret) {
      this.secret = secret;
    }

    @Override
    public void applyRequestMetadata(
        RequestInfo requestInfo, Executor executor, MetadataApplier applier) {
      var headers = new Metadata();
      headers.put(
          Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + secret);
      applier.apply(headers);
    }
  }
}
