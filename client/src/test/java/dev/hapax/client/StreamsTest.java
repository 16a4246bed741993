package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.operation.OperationException;
import dev.hapax.client.operation.OperationRequest;
import dev.hapax.client.operation.Operations;
import dev.hapax.client.operation.Outcome;
import dev.hapax.client.run.RunDefinition;
import dev.hapax.client.run.RunRequest;
import dev.hapax.client.run.Runs;
import dev.hapax.client.worker.Completion;
import dev.hapax.client.worker.Worker;
import dev.hapax.client.worker.WorkerBuilder;
import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.RunStatus;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls on streams, and what becomes of them when a stream breaks. */
@Timeout(60)
class StreamsTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final InMemoryHapax hapax = InMemoryHapax.start();
  private final Network network = new Network();
  private final Channel channel = ClientInterceptors.intercept(hapax.channel(), network);

  @AfterEach
  void close() {
    hapax.close();
  }

  /** Counts calls by rpc, and cuts or silences streams. */
  private static final class Network implements ClientInterceptor {
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<ClientCall<?, ?>> streams = new ConcurrentLinkedQueue<>();
    private final AtomicInteger halfClosed = new AtomicInteger();
    private final Set<ClientCall<?, ?>> deaf = ConcurrentHashMap.newKeySet();
    private volatile boolean silent;

    int calls(String rpc) {
      return calls.getOrDefault(rpc, new AtomicInteger()).get();
    }

    /** Messages on the streams there are now are lost, until they are cut. */
    void deafen() {
      deaf.addAll(streams);
    }

    /** New streams bring nothing. */
    void silence() {
      silent = true;
    }

    void cut() {
      streams.forEach(stream -> stream.cancel("cut", null));
      streams.clear();
    }

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      calls
          .computeIfAbsent(method.getBareMethodName(), name -> new AtomicInteger())
          .incrementAndGet();
      ClientCall<Q, R> call = next.newCall(method, options);
      if (method.getType() != MethodDescriptor.MethodType.BIDI_STREAMING) {
        return call;
      }
      streams.add(call);
      boolean unheard = silent;
      return new SimpleForwardingClientCall<>(call) {
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

  private void define(String... steps) {
    RunDefinition definition = RunDefinition.of("job", "1");
    for (String step : steps) {
      definition = definition.task(step, "work");
    }
    assertThat(HapaxClient.on(hapax.channel()).definitions().register(definition)).isTrue();
  }

  private WorkerBuilder worker() {
    return worker(ClientOptions.DEFAULT);
  }

  private WorkerBuilder worker(ClientOptions options) {
    return HapaxClient.on(channel, options).newWorker();
  }

  private static String run(Runs runs) {
    return runs.start(RunRequest.of("job")).getRun().getId();
  }

  @Test
  @DisplayName(
      "given 200 runs, when they are started and executed, then one stream carries the "
          + "starts and one the tasks")
  void streams() {
    define("a", "b");
    Runs runs = HapaxClient.on(channel).runs();
    Worker worker = worker().handleQueue("work", task -> Completion.empty()).start();
    try (worker) {
      List<String> started = IntStream.range(0, 200).parallel().mapToObj(i -> run(runs)).toList();
      for (String id : started) {
        assertThat(runs.await(id, SOON).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
      }
    }
    assertThat(network.calls("StartRun")).isZero();
    assertThat(network.calls("PollTasks")).isZero();
    assertThat(network.calls("CompleteTask")).isZero();
    assertThat(network.calls("Work")).isOne();
    assertThat(network.calls("StartRunStream")).isLessThan(3);
  }

  @Test
  @DisplayName("given streams are off, when a run is executed, then no stream is opened")
  void unary() {
    define("a");
    Runs runs = HapaxClient.on(channel, ClientOptions.DEFAULT.withStreams(false)).runs();
    Worker worker =
        worker(ClientOptions.DEFAULT.withStreams(false))
            .handleQueue("work", task -> Completion.empty())
            .start();
    try (worker) {
      assertThat(runs.await(run(runs), SOON).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    }
    assertThat(network.calls("StartRunStream")).isZero();
    assertThat(network.calls("Work")).isZero();
  }

  @Test
  @DisplayName("given a task in a lost message, when the stream breaks, then it is delivered again")
  void lostTask() {
    define("a");
    Runs runs = HapaxClient.on(hapax.channel()).runs();
    List<Integer> attempts = new ArrayList<>();
    CountDownLatch warm = new CountDownLatch(1);
    Worker worker =
        worker()
            .concurrency(8)
            .handleQueue(
                "work",
                task -> {
                  attempts.add(task.attempt());
                  warm.countDown();
                  return Completion.empty();
                })
            .start();
    try (worker) {
      runs.await(run(runs), SOON);
      network.deafen();
      String lost = run(runs);
      await(() -> runs.get(lost).getStatus() == RunStatus.RUN_STATUS_RUNNING);
      network.cut();

      assertThat(runs.await(lost, SOON).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
      assertThat(attempts).as("no lease has expired").containsExactly(1, 1);
    }
  }

  @Test
  @DisplayName(
      "given a completion with a lost response, when the stream breaks, then it is sent " + "again")
  void lostAnswer() {
    define("a");
    Runs runs = HapaxClient.on(hapax.channel()).runs();
    AtomicInteger handled = new AtomicInteger();
    Worker worker =
        worker()
            .handleQueue(
                "work",
                task -> {
                  handled.incrementAndGet();
                  network.deafen();
                  return Completion.empty();
                })
            .start();
    try (worker) {
      String id = run(runs);
      assertThat(runs.await(id, SOON).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
      network.cut();
      // unary, after the stream
      await(() -> network.calls("CompleteTask") == 1);
    }
    assertThat(handled).hasValue(1);
    assertThat(network.calls("CompleteTask")).isOne();
  }

  @Test
  @DisplayName("given an unresponsive stream, when a start times out, then it is sent again")
  void silentStream() {
    define("a");
    Runs runs =
        HapaxClient.on(channel, ClientOptions.DEFAULT.withTryTimeout(Duration.ofSeconds(2))).runs();
    run(runs);
    network.deafen();

    assertThat(runs.start(RunRequest.of("job").withKey("k")).getCreated())
        .as("the start was decided before its answer was lost")
        .isFalse();
    assertThat(network.calls("StartRun") + network.calls("StartRunStream")).isEqualTo(2);
  }

  @Test
  @DisplayName("given a network that blocks streams, when a worker starts, then it polls")
  void silentNetwork() {
    define("a");
    network.silence();
    Runs runs =
        HapaxClient.on(channel, ClientOptions.DEFAULT.withTryTimeout(Duration.ofMillis(300)))
            .runs();
    Worker worker =
        worker(ClientOptions.DEFAULT.withTryTimeout(Duration.ofMillis(300)))
            .handleQueue("work", task -> Completion.empty())
            .start();
    try (worker) {
      assertThat(runs.await(run(runs), SOON).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    }
    assertThat(network.calls("Work")).isEqualTo(3);
    assertThat(network.calls("PollTasks")).isPositive();
  }

  @Test
  @DisplayName(
      "given operations on a stream, when they run and fail, then the outcomes equal those "
          + "of unary calls")
  void operations() throws Exception {
    Operations operations = HapaxClient.on(channel).operations();
    var request = OperationRequest.of("pay", "key");

    Outcome<String> first = operations.execute(request, PayloadCodec.text(), operation -> "paid");
    Outcome<String> second = operations.execute(request, PayloadCodec.text(), operation -> "again");
    assertThat(first.orThrow()).isEqualTo("paid");
    assertThat(second.orThrow()).isEqualTo("paid");
    Operations refused =
        HapaxClient.on(channel, ClientOptions.DEFAULT.withWorkspace("NO")).operations();
    assertThatThrownBy(() -> refused.execute(request, PayloadCodec.text(), operation -> ""))
        .isInstanceOf(OperationException.Refused.class)
        .hasMessageContaining("workspace");
    assertThat(network.calls("OperationStream")).isEqualTo(2);
    assertThat(network.calls("BeginOperation")).isZero();
  }

  @Test
  @DisplayName(
      "given starts in one message, when a callback of one waits for another, then both "
          + "complete")
  void independent() throws Exception {
    define("a");
    Runs runs = HapaxClient.on(channel).runs();
    var all = IntStream.range(0, 50).mapToObj(i -> runs.startAsync(RunRequest.of("job"))).toList();
    var last = all.get(49);
    var waiting = all.stream().map(each -> each.thenRun(last::join)).toList();
    for (var each : waiting) {
      each.get(SOON.toSeconds(), TimeUnit.SECONDS);
    }
  }

  @Test
  @DisplayName("given a stream without calls, when it is idle, then it ends")
  void idle() {
    define("a");
    Runs runs = HapaxClient.on(channel).runs();
    run(runs);
    await(() -> network.halfClosed.get() == 1);
    run(runs);
    assertThat(network.calls("StartRunStream")).isEqualTo(2);
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + SOON.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited in vain").isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  @Test
  @DisplayName("given a worker that stops, when its handlers have ended, then its stream ends")
  void stops() {
    define("a");
    Worker worker = worker().handleQueue("work", task -> Completion.empty()).start();
    Runs runs = HapaxClient.on(hapax.channel()).runs();
    runs.await(run(runs), SOON);
    worker.close();
    await(() -> network.halfClosed.get() == 1);
    assertThat(runs.get(run(runs)).getStatus()).isEqualTo(RunStatus.RUN_STATUS_PENDING);
  }
}
