package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.client.internal.Timing;
import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RegisterDefinitionResponse;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.StartRunStreamRequest;
import dev.hapax.v1.WorkRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls and tasks on streams, and what becomes of them when a stream breaks. */
@Timeout(60)
class StreamTest {

  private final InMemoryHapax server = InMemoryHapax.start();
  private final Network network = new Network();
  private final Hapax direct = Hapax.builder().channel(server.channel()).streams(false).connect();
  private final Hapax hapax = client(true);

  @AfterEach
  void close() {
    hapax.close();
    direct.close();
    server.close();
  }

  private Hapax client(boolean streams) {
    return Hapax.builder().channel(network.channel(server.channel())).streams(streams).connect();
  }

  /** A client that gives up ten times as soon. */
  private Hapax impatient() {
    return Hapax.builder()
        .channel(network.channel(server.channel()))
        .timing(new FastTiming())
        .connect();
  }

  /** A clock that runs ten times as fast. */
  private static final class FastTiming implements Timing {
    private static final int FACTOR = 10;

    @Override
    public long nanos() {
      return System.nanoTime() * FACTOR;
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
      return SystemTiming.INSTANCE.after(delay.dividedBy(FACTOR), task);
    }

    @Override
    public Executor callbacks() {
      return SystemTiming.INSTANCE.callbacks();
    }

    @Override
    public Executor listeners() {
      return SystemTiming.INSTANCE.listeners();
    }

    @Override
    public void sleep(Duration pause) throws InterruptedException {
      TimeUnit.NANOSECONDS.sleep(pause.toNanos() / FACTOR);
    }
  }

  /** Counts calls by rpc, and cuts or silences streams. */
  private static final class Network implements ClientInterceptor {
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<ClientCall<?, ?>> streams = new ConcurrentLinkedQueue<>();
    private final List<Object> sent = new CopyOnWriteArrayList<>();
    private final AtomicInteger halfClosed = new AtomicInteger();
    private final Set<ClientCall<?, ?>> deaf = ConcurrentHashMap.newKeySet();
    private volatile boolean silent;
    private volatile @Nullable Status refusal;

    Channel channel(Channel to) {
      return ClientInterceptors.intercept(to, this);
    }

    int calls(String rpc) {
      return calls.getOrDefault(rpc, new AtomicInteger()).get();
    }

    /** The messages of this type on streams. */
    <M> List<M> sent(Class<M> type) {
      return sent.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** Messages on the streams there are now are lost, until they are cut. */
    void deafen() {
      deaf.addAll(streams);
    }

    /** New streams bring nothing. */
    void silence() {
      silent = true;
    }

    /** New streams end with this status; null = no more. */
    void refuse(@Nullable Status status) {
      refusal = status;
    }

    void cut() {
      streams.forEach(stream -> stream.cancel("cut", null));
      streams.clear();
    }

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      calls
          .computeIfAbsent(String.valueOf(method.getBareMethodName()), any -> new AtomicInteger())
          .incrementAndGet();
      ClientCall<Q, R> call = next.newCall(method, options);
      if (method.getType() != MethodDescriptor.MethodType.BIDI_STREAMING) {
        return call;
      }
      Status refused = refusal;
      if (refused != null) {
        return new Refused<>(refused);
      }
      streams.add(call);
      boolean unheard = silent;
      return new SimpleForwardingClientCall<>(call) {
        @Override
        public void sendMessage(Q message) {
          sent.add(message);
          super.sendMessage(message);
        }

        @Override
        public void halfClose() {
          halfClosed.incrementAndGet();
          super.halfClose();
        }

        @Override
        public void start(Listener<R> listener, Metadata headers) {
          super.start(
              new SimpleForwardingClientCallListener<>(listener) {
                @Override
                public void onMessage(R message) {
                  if (unheard || deaf.contains(call)) {
                    request(1);
                  } else {
                    super.onMessage(message);
                  }
                }
              },
              headers);
        }
      };
    }
  }

  private static final class Refused<Q, R> extends ClientCall<Q, R> {
    private final Status status;

    Refused(Status status) {
      this.status = status;
    }

    @Override
    public void start(Listener<R> listener, Metadata headers) {
      listener.onClose(status, new Metadata());
    }

    @Override
    public void request(int messages) {}

    @Override
    public void cancel(@Nullable String message, @Nullable Throwable cause) {}

    @Override
    public void halfClose() {}

    @Override
    public void sendMessage(Q message) {}
  }

  private void define(String... steps) {
    String tasks =
        String.join(
            ",",
            Arrays.stream(steps)
                .map(step -> "{\"name\":\"" + step + "\",\"task\":{\"queue\":\"work\"}}")
                .toList());
    direct.call(
        RegisterDefinitionRequest.newBuilder()
            .setJson("{\"name\":\"job\",\"version\":\"1\",\"steps\":[" + tasks + "]}")
            .build(),
        RegisterDefinitionResponse.getDefaultInstance());
  }

  private static StartRunRequest request(String key) {
    return StartRunRequest.newBuilder().setDefinition("job").setIdempotencyKey(key).build();
  }

  private static String run(Hapax by) {
    return by.call(request(""), StartRunResponse.getDefaultInstance()).getRun().getId();
  }

  private RunStatus status(String id) {
    return direct
        .call(GetRunRequest.newBuilder().setRunId(id).build(), GetRunResponse.getDefaultInstance())
        .getRun()
        .getStatus();
  }

  private void awaitCompleted(String id) {
    Conditions.until(() -> status(id) == RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName(
      "given 200 runs, when they are started and done, then one stream carries the starts and one"
          + " the tasks")
  void streams() {
    define("a", "b");
    try (Worker worker = hapax.worker().queue("work", task -> null).start()) {
      assertThat(worker.isAway()).isFalse();
      IntStream.range(0, 200)
          .parallel()
          .mapToObj(i -> run(hapax))
          .toList()
          .forEach(this::awaitCompleted);
    }
    assertThat(network.calls("StartRun")).isZero();
    assertThat(network.calls("PollTasks")).isZero();
    assertThat(network.calls("CompleteTask")).isZero();
    assertThat(network.calls("Work")).isOne();
    assertThat(network.calls("StartRunStream")).isLessThan(3);
  }

  @Test
  @DisplayName("given streams are off, when a run is done, then no stream is opened")
  void unary() {
    define("a");
    Hapax calls = client(false);
    try (Worker worker = calls.worker().queue("work", task -> null).start()) {
      assertThat(worker.isAway()).isFalse();
      awaitCompleted(run(calls));
    }
    assertThat(network.calls("StartRunStream")).isZero();
    assertThat(network.calls("Work")).isZero();
  }

  @Test
  @DisplayName("given a task in a lost message, when the stream breaks, then it is delivered again")
  void lostTask() {
    define("a");
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    Worker worker =
        hapax
            .worker()
            .queue(
                "work",
                task -> {
                  attempts.add(task.attempt());
                  return null;
                })
            .start();
    try (worker) {
      awaitCompleted(run(direct));
      network.deafen();
      String lost = run(direct);
      Conditions.until(() -> status(lost) == RunStatus.RUN_STATUS_RUNNING);
      network.cut();
      awaitCompleted(lost);
      assertThat(attempts).as("no lease has expired").containsExactly(1, 1);
    }
  }

  @Test
  @DisplayName(
      "given a task in a lost message, when the worker stops, then it takes the task before it ends")
  void lostLastTask() throws Exception {
    define("a");
    Worker worker = hapax.worker().queue("work", task -> null).start();
    awaitCompleted(run(direct));
    network.deafen();
    String lost = run(direct);
    Conditions.until(() -> status(lost) == RunStatus.RUN_STATUS_RUNNING);

    CompletableFuture<Boolean> drained =
        OwnThread.supply(() -> worker.drain(Duration.ofSeconds(30)));
    Conditions.until(() -> network.sent(WorkRequest.class).stream().anyMatch(WorkRequest::getStop));
    network.cut();
    assertThat(drained.get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(status(lost)).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName(
      "given an end of a task with a lost answer, when the stream breaks, then it is sent again")
  void lostAnswer() {
    define("a");
    AtomicInteger handled = new AtomicInteger();
    Worker worker =
        hapax
            .worker()
            .queue(
                "work",
                task -> {
                  handled.incrementAndGet();
                  network.deafen();
                  return null;
                })
            .start();
    try (worker) {
      awaitCompleted(run(direct));
      network.cut();
      // unary, after the stream
      Conditions.until(() -> network.calls("CompleteTask") == 1);
    }
    assertThat(handled).hasValue(1);
    assertThat(network.calls("CompleteTask")).isOne();
  }

  @Test
  @DisplayName("given an unresponsive stream, when a start times out, then it is sent again")
  void silentStream() {
    define("a");
    Hapax hasty = impatient();
    run(hasty);
    network.deafen();

    assertThat(hasty.call(request("k"), StartRunResponse.getDefaultInstance()).getCreated())
        .as("the start was decided before its answer was lost")
        .isFalse();
    assertThat(network.calls("StartRun") + network.calls("StartRunStream")).isEqualTo(2);
  }

  @Test
  @DisplayName("given a network that blocks streams, when a worker starts, then it polls")
  void silentNetwork() {
    define("a");
    network.silence();
    Hapax hasty = impatient();
    try (Worker worker = hasty.worker().queue("work", task -> null).start()) {
      assertThat(worker.isAway()).isFalse();
      awaitCompleted(run(hasty));
    }
    assertThat(network.calls("Work")).isEqualTo(3);
    assertThat(network.calls("PollTasks")).isPositive();
  }

  @Test
  @DisplayName(
      "given operations on a stream, when they end or are refused, then the outcomes are those of"
          + " unary calls")
  void operations() {
    assertThat(hapax.once(Operation.of("pay", "key"), Codec.text(), claim -> "paid"))
        .isEqualTo("paid");
    assertThat(hapax.once(Operation.of("pay", "key"), Codec.text(), claim -> "again"))
        .isEqualTo("paid");
    assertThatThrownBy(() -> hapax.workspace("NO").once("pay", "key", claim -> {}))
        .isInstanceOf(HapaxException.Refused.class)
        .hasMessageContaining("workspace");
    assertThat(network.calls("OperationStream")).isOne();
    assertThat(network.calls("BeginOperation")).isZero();
    assertThat(network.calls("CompleteOperation")).isZero();
  }

  @Test
  @DisplayName("given a request of 64 KiB, when it is sent, then it is a unary call")
  void large() {
    define("a");
    StartRunRequest large =
        request("k").toBuilder()
            .setInput(Payload.newBuilder().setJson("\"" + "x".repeat(64 << 10) + "\""))
            .build();
    hapax.call(large, StartRunResponse.getDefaultInstance());
    assertThat(network.calls("StartRun")).isOne();
    assertThat(network.calls("StartRunStream")).isZero();
  }

  @Test
  @DisplayName("given 50 calls on a stream that breaks, then each is a unary call without a retry")
  void broken() throws Exception {
    define("a");
    run(hapax);
    network.deafen();
    Calls calls = hapax.connection().calls();
    var all =
        IntStream.range(0, 50)
            .mapToObj(
                i ->
                    calls.start(
                        request("key-" + i),
                        StartRunResponse.getDefaultInstance(),
                        Duration.ofSeconds(30)))
            .toList();
    Conditions.until(() -> callsSent() == 51);
    network.cut();
    for (var each : all) {
      assertThat(each.get(20, TimeUnit.SECONDS).message().getRun().getId()).isNotEmpty();
    }
    assertThat(network.calls("StartRun")).isEqualTo(50);
  }

  private int callsSent() {
    return network.sent(StartRunStreamRequest.class).stream()
        .mapToInt(StartRunStreamRequest::getCallsCount)
        .sum();
  }

  @Test
  @DisplayName("given a call on a stream, when its thread is interrupted, then Hapax learns of it")
  void interrupted() throws Exception {
    define("a");
    run(hapax);
    network.deafen();
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                run(hapax);
              } catch (HapaxException failed) {
                thrown.complete(failed);
              }
              flag.complete(Thread.currentThread().isInterrupted());
            });
    caller.start();
    Conditions.until(() -> callsSent() == 2);
    caller.interrupt();
    assertThat(thrown.get(20, TimeUnit.SECONDS)).isInstanceOf(HapaxException.Unavailable.class);
    assertThat(flag.get(20, TimeUnit.SECONDS)).isTrue();
    Conditions.until(
        () ->
            network.sent(StartRunStreamRequest.class).stream()
                .anyMatch(message -> message.getCancelledCallIdsList().equals(List.of(2))));
  }

  @Test
  @DisplayName("given a slow observer of a call, then other calls on the stream are answered")
  void independent() throws Exception {
    define("a");
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch other = new CountDownLatch(1);
    AtomicBoolean waited = new AtomicBoolean();
    Observer slow =
        new Observer() {
          @Override
          public void called(String method, CallKind kind, Duration duration) {
            if (begun.getCount() > 0) {
              begun.countDown();
              waited.set(isDown(other));
            }
          }
        };
    try (Hapax client =
        Hapax.builder().channel(network.channel(server.channel())).observer(slow).connect()) {
      CompletableFuture<Void> first = OwnThread.run(() -> run(client));
      assertThat(isDown(begun)).isTrue();
      run(client);
      other.countDown();
      first.get(20, TimeUnit.SECONDS);
    }
    assertThat(waited).isTrue();
  }

  private static boolean isDown(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      return false;
    }
  }

  @Test
  @DisplayName(
      "given a stream without calls, when it is idle, then it ends, and a call opens another")
  void idle() {
    define("a");
    run(hapax);
    Conditions.until(() -> network.halfClosed.get() == 1);
    run(hapax);
    assertThat(network.calls("StartRunStream")).isEqualTo(2);
  }

  @Test
  @DisplayName("given a server without streams, when calls are sent, then a stream is tried once")
  void noStreams() {
    try (FakeHapax<SystemTiming> old = FakeHapax.live();
        Hapax client = Hapax.builder().channel(network.channel(old.channel)).connect()) {
      client.once("pay", "1", claim -> {});
      client.once("pay", "2", claim -> {});
    }
    assertThat(network.calls("OperationStream")).isOne();
    assertThat(network.calls("BeginOperation")).isEqualTo(2);
  }

  @Test
  @DisplayName("given a worker that stops, when its handlers have ended, then its stream ends")
  void stops() {
    define("a");
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Worker worker =
        hapax
            .worker()
            .queue(
                "work",
                task -> {
                  begun.countDown();
                  assertThat(isDown(end)).isTrue();
                  return null;
                })
            .start();
    String id = run(direct);
    Conditions.until(() -> begun.getCount() == 0);
    CompletableFuture<Boolean> drained =
        OwnThread.supply(() -> worker.drain(Duration.ofSeconds(30)));
    Conditions.until(() -> network.sent(WorkRequest.class).stream().anyMatch(WorkRequest::getStop));
    String after = run(direct);
    end.countDown();
    assertThat(drained.join()).isTrue();
    assertThat(status(id)).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(network.calls("CompleteTask")).as("it ends on the stream").isZero();
    Conditions.until(() -> network.halfClosed.get() == 1);
    // the server gives back a task that it granted at the same time
    Conditions.until(() -> status(after) == RunStatus.RUN_STATUS_PENDING);
  }

  @Test
  @DisplayName("given 3 slots and 30 tasks that wait, then no more than 3 are held at a time")
  void credit() {
    define("a");
    List<String> ids = IntStream.range(0, 30).mapToObj(i -> run(direct)).toList();
    AtomicInteger begun = new AtomicInteger();
    CountDownLatch end = new CountDownLatch(1);
    Worker worker =
        hapax
            .worker()
            .concurrency(3)
            .queue(
                "work",
                task -> {
                  begun.incrementAndGet();
                  assertThat(isDown(end)).isTrue();
                  return null;
                })
            .start();
    try (worker) {
      Conditions.until(() -> begun.get() == 3);
      assertThat(network.sent(WorkRequest.class).stream().mapToInt(WorkRequest::getCredit).sum())
          .isEqualTo(3);
      assertThat(ids.stream().filter(id -> status(id) == RunStatus.RUN_STATUS_RUNNING)).hasSize(3);
      end.countDown();
      ids.forEach(this::awaitCompleted);
    }
    assertThat(begun).hasValue(30);
    assertThat(network.calls("Work")).isOne();
  }

  @Test
  @DisplayName(
      "given a key that is revoked, then its worker says so once, and once that it is accepted")
  void rejected() {
    define("a");
    Hapax hasty = impatient();
    try (LogRecorder log = LogRecorder.of(Polling.class);
        Worker worker = hasty.worker().queue("work", task -> null).start()) {
      awaitCompleted(run(direct));
      network.refuse(Status.UNAUTHENTICATED.withDescription("revoked"));
      network.cut();
      Conditions.until(() -> network.calls("Work") >= 4);
      assertThat(log.lines()).hasSize(1);
      assertThat(log.lines().get(0)).startsWith("ERROR PollTasks was rejected");
      network.refuse(null);
      Conditions.until(() -> log.lines().size() == 2);
      assertThat(log.lines().get(1)).isEqualTo("INFO PollTasks is accepted again");
      assertThat(worker.isAway()).isFalse();
      awaitCompleted(run(direct));
    }
  }

  @Test
  @DisplayName("given an outage, then the worker is away, and says its begin and its end once")
  void outage() {
    define("a");
    Hapax hasty = impatient();
    try (LogRecorder log = LogRecorder.of(Calls.class);
        Worker worker = hasty.worker().queue("work", task -> null).start()) {
      awaitCompleted(run(direct));
      network.refuse(Status.UNAVAILABLE.withDescription("down"));
      network.cut();
      Conditions.until(() -> network.calls("Work") >= 5);
      assertThat(worker.isAway()).isTrue();
      network.refuse(null);
      Conditions.until(() -> log.lines().size() == 2);
      assertThat(worker.isAway()).isFalse();
      assertThat(log.lines().get(0)).startsWith("WARN Hapax at localhost does not answer");
      assertThat(log.lines().get(1)).isEqualTo("INFO Hapax at localhost answers again");
      awaitCompleted(run(direct));
    }
  }
}
