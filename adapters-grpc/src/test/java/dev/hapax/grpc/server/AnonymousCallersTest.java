package dev.hapax.grpc.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.INTEGER;

import dev.hapax.application.security.Authenticator;
import dev.hapax.domain.security.Authentication;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Authentication.Reason;
import dev.hapax.domain.security.Authentication.Refused;
import dev.hapax.domain.security.Credentials;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.grpc.call.Refusal;
import dev.hapax.grpc.quota.CallerLimits;
import dev.hapax.grpc.quota.ConnectionLimits;
import dev.hapax.grpc.quota.LimitObserver;
import dev.hapax.grpc.security.AuditLog;
import dev.hapax.grpc.security.CallAuthentication;
import dev.hapax.grpc.security.IdentityGrpc;
import dev.hapax.grpc.security.OpenCalls;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.WhoAmIRequest;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What callers without a credential may take of a server that authenticates. */
@Tag("A8")
class AnonymousCallersTest {
  private static final String CHECK = "/grpc.health.v1.Health/Check";
  private static final String WATCH = "/grpc.health.v1.Health/Watch";
  private static final String WHO_AM_I = "/hapax.v1.IdentityService/WhoAmI";
  private static final int WINDOW = 1 << 20;
  private static final int LARGE = 4 << 20;

  private final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));
  private final BlockingQueue<String> closed = new LinkedBlockingQueue<>();
  private final Deque<AutoCloseable> open = new ConcurrentLinkedDeque<>();
  private Reason withoutKey = Reason.MISSING;
  private Optional<HapaxServer> server = Optional.empty();
  private int port;

  /** Accepts every API key, and refuses the others for a reason. */
  private record AnyKey(Reason others) implements Authenticator {
    @Override
    public Recognition recognize(Credentials credentials) {
      return new Recognition.Known(
          credentials
              .bearer()
              .<Authentication>map(AnyKey::viewer)
              .orElseGet(() -> new Refused(others)));
    }

    private static Authenticated viewer(String key) {
      var grant = RoleGrant.parse("role=viewer workspace=*");
      return new Authenticated(
          new Principal(Principal.Kind.API_KEY, key, List.of(grant)),
          Optional.empty(),
          Instant.MAX);
    }

    @Override
    public boolean isLive(Authenticated caller) {
      return true;
    }
  }

  private HapaxServer start(ConnectionLimits connections) throws IOException {
    var authenticator = new AnyKey(withoutKey);
    var started =
        new HapaxServer(
            new GrpcServerConfig(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                false,
                Duration.ZERO,
                Optional.empty(),
                connections,
                CallerLimits.DEFAULT),
            Set.of(new IdentityGrpc()),
            Optional.of(
                new CallAuthentication(
                    authenticator,
                    new OpenCalls(authenticator),
                    new AuditLog(InstantSource.system()),
                    nanos::get)),
            Optional.empty(),
            WINDOW,
            nanos::get);
    started.observe(
        new LimitObserver() {
          @Override
          public void refusedConnection(String limit) {}

          @Override
          public void closedConnection(String reason) {
            closed.add(reason);
          }

          @Override
          public void refusedCall(String workspace, String limit) {}

          @Override
          public void unauthenticated(String reason) {}
        });
    port = started.start();
    server = Optional.of(started);
    return started;
  }

  @AfterEach
  void stop() throws Exception {
    for (var each : open) {
      each.close();
    }
    server.orElseThrow().stop();
  }

  private Http2Socket connect() throws IOException {
    var socket = new Http2Socket(port).begin(WINDOW).flush();
    open.push(socket);
    return socket;
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    var deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  @Test
  @DisplayName("given health checks whose requests are large, then their connection is closed soon")
  void largeHealthChecks() throws Exception {
    var serving = start(ConnectionLimits.DEFAULT);
    var socket = connect();
    // within the window of the connection; the server would wait for the rest of 4 MiB
    var part = ByteBuffer.allocate(5 + (8 << 10)).put((byte) 0).putInt(LARGE - 1).array();
    for (var call = 0; call < 100; call++) {
      socket.frame(
          Http2Socket.HEADERS,
          Http2Socket.END_HEADERS,
          2 * call + 1,
          Http2Socket.headers(CHECK, Map.of()));
      socket.frame(Http2Socket.DATA, 0, 2 * call + 1, part);
    }
    try {
      socket.flush();
    } catch (IOException _) {
      // closed before everything was sent
    }
    socket.awaitClosed();
    assertThat(closed.take()).isEqualTo("request");
    await(() -> serving.openConnections() == 0);
    assertThat(connect().call(1, CHECK).flush().read(Http2Socket.DATA).stream()).isEqualTo(1);
  }

  private ManagedChannel channel() {
    var channel = ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    open.push(channel::shutdownNow);
    return channel;
  }

  @Test
  @DisplayName("given health checks whose requests are compressed, then they are refused")
  void compressedHealthChecks() throws Exception {
    start(ConnectionLimits.DEFAULT);
    var large = HealthCheckRequest.newBuilder().setService("x".repeat(1 << 19)).build();
    var health = HealthGrpc.newBlockingStub(channel());
    assertThat(health.check(HealthCheckRequest.getDefaultInstance()).getStatus())
        .isEqualTo(ServingStatus.NOT_SERVING);
    for (var request : List.of(large, HealthCheckRequest.getDefaultInstance())) {
      var compressed = health.withCompression("gzip");
      assertThat(Refusal.of(() -> compressed.check(request)).code())
          .isEqualTo(Code.INVALID_ARGUMENT);
      assertThat(Refusal.of(() -> compressed.watch(request).next()).code())
          .isEqualTo(Code.INVALID_ARGUMENT);
    }
  }

  @Test
  @DisplayName("given a certificate that maps to no principal, then health checks need none")
  void unknownCertificate() throws Exception {
    withoutKey = Reason.CERTIFICATE;
    start(ConnectionLimits.DEFAULT);
    var channel = channel();
    assertThat(
            HealthGrpc.newBlockingStub(channel)
                .check(HealthCheckRequest.getDefaultInstance())
                .getStatus())
        .isEqualTo(ServingStatus.NOT_SERVING);
    var identity = IdentityServiceGrpc.newBlockingStub(channel);
    assertThat(Refusal.of(() -> identity.whoAmI(WhoAmIRequest.getDefaultInstance())).code())
        .isEqualTo(Code.UNAUTHENTICATED);
  }

  /** A connection whose caller has sent a valid credential. */
  private Http2Socket proven() throws IOException {
    var socket = connect();
    socket.frame(
        Http2Socket.HEADERS,
        Http2Socket.END_HEADERS,
        1,
        Http2Socket.headers(WHO_AM_I, Map.of("authorization", "Bearer mine")));
    socket.frame(Http2Socket.DATA, Http2Socket.END_STREAM, 1, new byte[5]).flush();
    socket.read(Http2Socket.DATA);
    return socket;
  }

  private static void callMany(Http2Socket socket, int from, int calls) {
    try {
      for (var call = 0; call < calls; call++) {
        socket.call(from + 2 * call, WHO_AM_I);
      }
      socket.flush();
    } catch (IOException _) {
      // closed before everything was sent
    }
  }

  @Test
  @DisplayName("given 1,000 refused calls, when one more comes, then its connection is closed")
  void refusedCalls() throws Exception {
    start(ConnectionLimits.DEFAULT);
    var proven = proven();
    callMany(proven, 3, 2_000);
    var refused = connect();
    callMany(refused, 1, 1_000);
    while (refused.read(Http2Socket.HEADERS).stream() < 1_999) {
      // each call is refused with trailers alone
    }
    assertThat(closed).isEmpty();
    callMany(refused, 2_001, 1);
    refused.awaitClosed();
    assertThat(closed.take()).isEqualTo("refused");
    assertThat(proven.call(4_003, CHECK).flush().read(Http2Socket.DATA).stream()).isEqualTo(4_003);
    assertThat(closed).isEmpty();
  }

  @Test
  @DisplayName("given scarce places, when watches of health have no credential, then they end")
  void watches() throws Exception {
    var serving = start(new ConnectionLimits(10, 10));
    var proven = proven().call(3, WATCH).flush();
    proven.read(Http2Socket.DATA);
    var watches = new ArrayList<Http2Socket>();
    for (var i = 0; i < 9; i++) {
      watches.add(connect().call(1, WATCH).flush());
      watches.getLast().read(Http2Socket.DATA);
    }
    nanos.addAndGet(Duration.ofSeconds(59).toNanos());
    connect().awaitClosed();
    assertThat(closed).isEmpty();
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    connect();
    for (var watch : watches) {
      watch.awaitClosed();
    }
    await(() -> closed.size() >= 9);
    assertThat(closed).hasSize(9).containsOnly("unproven");
    await(() -> serving.openConnections() <= 2);
    assertThat(proven.call(5, CHECK).flush().read(Http2Socket.DATA).stream()).isEqualTo(5);
  }

  @Test
  @DisplayName("given scarce places, then those that are unused without a credential get free")
  void unusedConnections() throws Exception {
    var serving = start(new ConnectionLimits(10, 10));
    var proven = proven();
    var used = connect().call(1, WATCH).flush();
    used.read(Http2Socket.DATA);
    for (var i = 0; i < 8; i++) {
      connect();
    }
    await(() -> serving.openConnections() == 10);
    nanos.addAndGet(Duration.ofSeconds(29).toNanos());
    connect().awaitClosed();
    assertThat(closed).isEmpty();
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    // refused or not: the others may get closed before it is counted
    connect();
    await(() -> serving.openConnections() <= 3);
    // a connection is counted out before its end is recorded
    await(() -> closed.size() >= 8);
    assertThat(closed).hasSize(8).containsOnly("unused");
    assertThat(proven.call(3, CHECK).flush().read(Http2Socket.DATA).stream()).isEqualTo(3);
    assertThat(used.call(3, CHECK).flush().read(Http2Socket.DATA).stream()).isEqualTo(3);
  }

  /** Calls with a key until the load is over; returns how many calls were answered. */
  private int probe(AtomicBoolean isOver) {
    var headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer prober");
    var identity =
        IdentityServiceGrpc.newBlockingStub(channel())
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    var answered = 0;
    for (; !isOver.get() || answered == 0; answered++) {
      var _ =
          identity
              .withDeadlineAfter(1, TimeUnit.MINUTES)
              .whoAmI(WhoAmIRequest.getDefaultInstance());
    }
    return answered;
  }

  @Test
  @DisplayName(
      "given callers without credentials that stall, watch and are refused, then one with a key is answered all the time")
  void prober() throws Exception {
    start(new ConnectionLimits(200, 200));
    var isOver = new AtomicBoolean();
    var prober = CompletableFuture.supplyAsync(() -> probe(isOver));
    for (var round = 0; round < 30 && !prober.isDone(); round++) {
      open.push(new Http2Socket(port).halfPreface());
      var watches = connect();
      for (var call = 0; call < 50; call++) {
        watches.call(2 * call + 1, WATCH);
      }
      watches.flush();
      var refused = connect();
      callMany(refused, 1, 1_001);
      refused.awaitClosed();
    }
    assertThat(proven().call(3, CHECK).flush().read(Http2Socket.DATA).stream())
        .as("a new connection, while watches have all places of the network")
        .isEqualTo(3);
    isOver.set(true);
    assertThat(prober).succeedsWithin(Duration.ofMinutes(1)).asInstanceOf(INTEGER).isPositive();
    assertThat(closed).hasSize(30).containsOnly("refused");
  }

  @Test
  @DisplayName("given places enough, then unused connections stay")
  void enoughPlaces() throws Exception {
    var serving = start(new ConnectionLimits(10, 10));
    for (var i = 0; i < 5; i++) {
      connect();
    }
    await(() -> serving.openConnections() == 5);
    nanos.addAndGet(Duration.ofHours(1).toNanos());
    connect();
    await(() -> serving.openConnections() == 6);
    assertThat(closed).isEmpty();
  }
}
