package dev.hapax.grpc.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.hapax.grpc.call.Refusal;
import dev.hapax.grpc.quota.CallerLimits;
import dev.hapax.grpc.quota.ConnectionLimits;
import dev.hapax.grpc.quota.LimitObserver;
import dev.hapax.grpc.security.AuditLog;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.GetOperationResponse;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WatchRunResponse;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Other callers keep working, and memory stays bounded, whatever one caller does. */
@Tag("A8")
class HostileCallersTest {
  private static final byte[] GOTTEN =
      GetOperationRequest.newBuilder()
          .setOperation("place")
          .setRequestId("1")
          .build()
          .toByteArray();

  private static final WatchRunRequest WATCHED =
      WatchRunRequest.newBuilder().setRunId("run").build();

  private static final String GET = "/hapax.v1.OperationService/GetOperation";
  private static final String WATCH = "/hapax.v1.RunService/WatchRun";
  private static final int ANSWER = 256 << 10;
  private static final GetOperationResponse LARGE =
      GetOperationResponse.newBuilder()
          .setOperation(
              Operation.newBuilder()
                  .setResult(Payload.newBuilder().setBinary(ByteString.copyFrom(new byte[ANSWER]))))
          .build();
  private static final long MAX_UNREAD = 16L << 20;
  private static final int ALL = 1_000_000;

  /** So many slow readers leave more unread than is allowed. */
  private static final int AT_ONCE = 20;

  private final BlockingQueue<StreamObserver<WatchRunResponse>> watches =
      new LinkedBlockingQueue<>();
  private final BlockingQueue<String> refused = new LinkedBlockingQueue<>();
  private final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private HapaxServer server = server(ConnectionLimits.DEFAULT, CallerLimits.DEFAULT);
  private int port;

  private HapaxServer server(ConnectionLimits connections, CallerLimits callers) {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return new HapaxServer(
        new GrpcServerConfig(address, false, Duration.ZERO, Optional.empty(), connections, callers),
        Set.of(new LargeAnswers(), new Watches()),
        Optional.of(new AuditLog(InstantSource.system())),
        Optional.empty(),
        MAX_UNREAD,
        nanos::get);
  }

  /** Answers every call with a large result. */
  private static final class LargeAnswers extends OperationServiceGrpc.OperationServiceImplBase {
    @Override
    public void getOperation(
        GetOperationRequest request, StreamObserver<GetOperationResponse> caller) {
      caller.onNext(LARGE);
      caller.onCompleted();
    }
  }

  /** Keeps streams open. */
  private final class Watches extends RunServiceGrpc.RunServiceImplBase {
    @Override
    public void watchRun(WatchRunRequest request, StreamObserver<WatchRunResponse> caller) {
      watches.add(caller);
    }
  }

  private void start(ConnectionLimits connections, CallerLimits callers) throws IOException {
    server = server(connections, callers);
    server.observe(
        new LimitObserver() {
          @Override
          public void refusedConnection(String limit) {
            refused.add("connection " + limit);
          }

          @Override
          public void closedConnection(String reason) {
            refused.add("closed " + reason);
          }

          @Override
          public void refusedCall(String workspace, String limit) {
            refused.add(workspace + " " + limit);
          }

          @Override
          public void unauthenticated(String reason) {
            refused.add("unauthenticated " + reason);
          }
        });
    port = server.start();
  }

  @AfterEach
  void stop() throws Exception {
    for (var each : open) {
      each.close();
    }
    server.stop();
  }

  private Http2Socket connect() throws IOException {
    var socket = new Http2Socket(port);
    open.push(socket);
    return socket;
  }

  private ManagedChannel channel() {
    var channel = ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    open.push(channel::shutdownNow);
    return channel;
  }

  @Test
  @Tag("fault")
  @DisplayName(
      "given a client that pings a little more often than each 10 s, then its connection stays"
          + " [public-reports-F9]")
  void keepalive() throws Exception {
    start(ConnectionLimits.DEFAULT, CallerLimits.DEFAULT);
    var client = connect().begin(ALL).flush();
    for (var ping = 0; ping < 6; ping++) {
      if (ping > 0) {
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(6));
      }
      client.frame(Http2Socket.PING, 0, 0, new byte[Long.BYTES]).flush();
      assertThat(client.read(Http2Socket.PING).payload().size()).isEqualTo(Long.BYTES);
    }
  }

  private static void get(ManagedChannel channel, String workspace) {
    var answer =
        OperationServiceGrpc.newBlockingStub(channel)
            .withDeadlineAfter(1, TimeUnit.MINUTES)
            .getOperation(
                GetOperationRequest.newBuilder()
                    .setWorkspace(workspace)
                    .setOperation("place")
                    .setRequestId("1")
                    .build());
    assertThat(answer.getOperation().getResult().getBinary().size()).isEqualTo(ANSWER);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    var deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  private void connections(int count) throws Exception {
    start(new ConnectionLimits(count + 100, count), CallerLimits.DEFAULT);
    var mine = channel();
    get(mine, "");
    for (var i = 1; i < count; i++) {
      connect();
    }
    await(() -> server.openConnections() == count);
    connect().awaitClosed();
    assertThat(refused.poll(1, TimeUnit.MINUTES)).isEqualTo("connection address");
    get(mine, "");
    assertThat(server.openConnections()).isEqualTo(count);
  }

  @Test
  @DisplayName("given 1,000 connections, when one more comes, then it alone is refused")
  void manyConnections() throws Exception {
    connections(1_000);
  }

  @Test
  @Tag("soak")
  @DisplayName("given 9,000 connections, when one more comes, then it alone is refused")
  void tenThousand() throws Exception {
    connections(9_000);
  }

  @Test
  @DisplayName("given connections that close, then their places are free")
  void closedConnections() throws Exception {
    start(new ConnectionLimits(10, 10), CallerLimits.DEFAULT);
    for (var round = 0; round < 5; round++) {
      for (var i = 0; i < 10; i++) {
        connect();
      }
      await(() -> server.openConnections() == 10);
      while (!open.isEmpty()) {
        open.pop().close();
      }
      await(() -> server.openConnections() == 0);
    }
    get(channel(), "");
  }

  @Test
  @DisplayName("given handshakes that do not go on, then other callers are answered")
  void slowHandshakes() throws Exception {
    start(ConnectionLimits.DEFAULT, CallerLimits.DEFAULT);
    for (var i = 0; i < 200; i++) {
      connect().halfPreface();
    }
    await(() -> server.openConnections() == 200);
    get(channel(), "");
  }

  @Test
  @DisplayName("given 1 MiB of headers, then the call or its connection ends, and nothing else")
  void headers() throws Exception {
    start(ConnectionLimits.DEFAULT, CallerLimits.DEFAULT);
    var mine = channel();
    get(mine, "");
    var block = Http2Socket.headers(GET, Map.of("x-large", "a".repeat(1 << 20)));
    for (var i = 0; i < 20; i++) {
      var socket = connect().begin(1 << 20);
      var frames = (block.length + 16_383) / 16_384;
      for (var frame = 0; frame < frames; frame++) {
        var part =
            Arrays.copyOfRange(block, frame * 16_384, Math.min(block.length, (frame + 1) * 16_384));
        socket.frame(
            frame == 0 ? Http2Socket.HEADERS : Http2Socket.CONTINUATION,
            frame == frames - 1 ? Http2Socket.END_HEADERS : 0,
            1,
            part);
      }
      try {
        socket.flush().read(Http2Socket.GOAWAY);
      } catch (IOException _) {
        // closed before everything was sent
      }
    }
    get(mine, "");
  }

  @Test
  @DisplayName("given headers of a key and a token, then they fit; given 9 KiB, then not")
  void headerSize() throws Exception {
    start(ConnectionLimits.DEFAULT, CallerLimits.DEFAULT);
    assertThat(status(6 << 10)).isEqualTo("200");
    assertThat(status(9 << 10)).isEqualTo("431");
  }

  private String status(int bytes) throws IOException {
    var socket = connect().begin(1 << 20);
    socket.frame(
        Http2Socket.HEADERS,
        Http2Socket.END_HEADERS,
        1,
        Http2Socket.headers(GET, Map.of("authorization", "a".repeat(bytes))));
    socket.frame(Http2Socket.DATA, Http2Socket.END_STREAM, 1, new byte[5]).flush();
    var first = socket.read(Http2Socket.HEADERS).payload().byteAt(0);
    // the static table of HPACK has 200 at 8; 431 is not in it
    return first == (byte) (0x80 | 8) ? "200" : "431";
  }

  @Test
  @DisplayName("given a flood of resets, then its connection ends, and other callers are answered")
  void resets() throws Exception {
    start(ConnectionLimits.DEFAULT, CallerLimits.DEFAULT);
    var mine = channel();
    get(mine, "");
    var socket = connect().begin(1 << 20).flush();
    var sent = 0;
    try {
      for (; sent < ALL; sent += 100) {
        for (var i = sent; i < sent + 100; i++) {
          socket.call(2 * i + 1, WATCH, WATCHED.toByteArray()).reset(2 * i + 1);
        }
        socket.flush();
      }
    } catch (IOException _) {
      // closed by the server
    }
    assertThat(sent).isBetween(HapaxServer.MAX_CALLS_PER_CONNECTION, ALL - 1);
    await(() -> server.openConnections() == 1);
    get(mine, "");
  }

  @Test
  @DisplayName("given a client that cancels all its calls at once, then its connection lives on")
  void honestCancels() throws Exception {
    start(ConnectionLimits.DEFAULT, CallerLimits.DEFAULT);
    var socket = connect().begin(1 << 20);
    var calls = HapaxServer.MAX_CALLS_PER_CONNECTION;
    for (var i = 0; i < 4_000; i++) {
      socket.call(2 * i + 1, WATCH, WATCHED.toByteArray());
    }
    for (var i = 4_000; i < calls; i++) {
      socket.call(2 * i + 1, WATCH, WATCHED.toByteArray()).reset(2 * i + 1);
    }
    for (var i = 0; i < 4_000; i++) {
      socket.reset(2 * i + 1);
    }
    socket.call(2 * calls + 1, GET, GOTTEN).flush();
    assertThat(socket.read(Http2Socket.DATA).stream()).isEqualTo(2 * calls + 1);
  }

  private void slowReaders(int count) throws Exception {
    start(new ConnectionLimits(count + 100, count + 100), CallerLimits.DEFAULT);
    var mine = channel();
    get(mine, "");
    for (var i = 0; i < count; i += AT_ONCE) {
      for (var j = 0; j < AT_ONCE; j++) {
        // a window of nothing: no answer is ever read
        connect()
            .begin(0)
            .call(1, GET, GOTTEN)
            .call(3, GET, GOTTEN)
            .call(5, GET, GOTTEN)
            .call(7, GET, GOTTEN)
            .flush();
      }
      await(() -> server.unreadBytes() == 4L * AT_ONCE * LARGE.getSerializedSize());
      nanos.addAndGet(Duration.ofSeconds(11).toNanos());
      get(mine, "");
      await(() -> server.unreadBytes() == 0 && server.openConnections() == 1);
    }
    assertThat(refused).hasSize(count).containsOnly("closed unread");
    get(mine, "");
  }

  @Test
  @DisplayName("given callers that do not read, then they are disconnected when memory needs it")
  void sixtyReaders() throws Exception {
    slowReaders(60);
  }

  @Test
  @Tag("soak")
  @DisplayName(
      "given 500 callers that do not read, then they are disconnected when memory needs it")
  void manyReaders() throws Exception {
    slowReaders(500);
  }

  @Test
  @DisplayName("given callers that read slowly, but read, then they stay")
  void honestReaders() throws Exception {
    start(ConnectionLimits.DEFAULT, CallerLimits.DEFAULT);
    var mine = channel();
    for (var i = 0; i < 200; i++) {
      get(mine, "");
      nanos.addAndGet(Duration.ofSeconds(11).toNanos());
    }
    assertThat(refused).isEmpty();
    await(() -> server.unreadBytes() == 0);
  }

  @Test
  @DisplayName(
      "given a noisy workspace, then its calls are refused, and another's are all answered")
  void fair() throws Exception {
    start(ConnectionLimits.DEFAULT, new CallerLimits(20, 0, 10, 10, 10));
    var channel = channel();
    var answered = new HashMap<String, Integer>();
    for (var i = 0; i < 200; i++) {
      for (var workspace : i % 10 == 0 ? Set.of("noisy", "quiet") : Set.of("noisy")) {
        try {
          get(channel, workspace);
          answered.merge(workspace, 1, Integer::sum);
        } catch (StatusRuntimeException e) {
          var refusal = Refusal.of(e);
          assertThat(refusal.code()).isEqualTo(Code.RESOURCE_EXHAUSTED);
          assertThat(refusal.reason()).isEqualTo("RATE_LIMITED");
        }
      }
    }
    assertThat(answered).isEqualTo(Map.of("noisy", 20, "quiet", 20));
    assertThat(Set.copyOf(refused)).containsExactly("noisy calls-per-second-per-workspace");
  }

  @Test
  @DisplayName("given as many watches as allowed, then the next is refused until one ends")
  void watchLimit() throws Exception {
    start(ConnectionLimits.DEFAULT, new CallerLimits(0, 0, 2, 2, 2));
    var stub = RunServiceGrpc.newBlockingStub(channel()).withDeadlineAfter(1, TimeUnit.MINUTES);
    var first = stub.watchRun(WATCHED);
    var second = stub.watchRun(WATCHED);
    assertThat(watches.poll(1, TimeUnit.MINUTES)).isNotNull();
    var last = Objects.requireNonNull(watches.poll(1, TimeUnit.MINUTES));
    var third = stub.watchRun(WATCHED);
    assertThatThrownBy(third::hasNext).hasMessageContaining("too many open watches");
    last.onCompleted();
    await(() -> watches.isEmpty());
    assertThat(first).isNotNull();
    assertThat(second).isNotNull();
    await(
        () -> {
          var _ = stub.watchRun(WATCHED);
          try {
            return watches.poll(100, TimeUnit.MILLISECONDS) != null;
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }
}
