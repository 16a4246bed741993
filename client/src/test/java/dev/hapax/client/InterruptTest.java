package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What an interrupt does to calls that block. */
@Tag("J10")
@Timeout(60)
class InterruptTest {

  private static final Duration HOUR = Duration.ofHours(1);

  /** A server that never answers. */
  private static final class SilentChannel extends Channel {
    final CountDownLatch sent = new CountDownLatch(1);
    final AtomicBoolean isCancelled = new AtomicBoolean();

    @Override
    public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
      return new ClientCall<>() {
        private @Nullable Listener<R> listener;

        @Override
        public void start(Listener<R> responses, Metadata headers) {
          listener = responses;
        }

        @Override
        public void request(int count) {}

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {
          isCancelled.set(true);
          if (listener != null) {
            listener.onClose(Status.CANCELLED, new Metadata());
          }
        }

        @Override
        public void halfClose() {
          sent.countDown();
        }

        @Override
        public void sendMessage(Q message) {}
      };
    }

    @Override
    public String authority() {
      return "silent";
    }
  }

  private static Map<String, Consumer<Hapax>> calls() {
    Map<String, Consumer<Hapax>> calls = new TreeMap<>();
    calls.put("start", hapax -> hapax.runs().start("order"));
    calls.put("get", hapax -> hapax.runs().get("run_1"));
    calls.put("list", hapax -> hapax.runs().list(all -> all).forEach(each -> {}));
    calls.put("await", hapax -> hapax.runs().await("run_1", HOUR));
    calls.put("awaitKey", hapax -> hapax.runs().awaitKey("o1", HOUR));
    calls.put("awaitToken", hapax -> hapax.runs().awaitToken("order/1", HOUR));
    calls.put("awaitChange", hapax -> hapax.runs().awaitChange("run_1", 1, HOUR));
    calls.put("result", hapax -> hapax.runs().result("run_1", Codec.text(), HOUR));
    calls.put("signal", hapax -> hapax.runs().signal("run_1", "paid", null));
    calls.put("cancel", hapax -> hapax.runs().cancel("run_1", ""));
    calls.put("pause", hapax -> hapax.runs().pause("run_1", ""));
    calls.put("resume", hapax -> hapax.runs().resume("run_1", ""));
    calls.put("retry", hapax -> hapax.runs().retry("run_1", ""));
    calls.put("watch", hapax -> hapax.runs().watch("run_1", 0, event -> {}).await(HOUR));
    calls.put("hook", hapax -> hapax.hooks().create("run_1", HookRequest.of("order/1")));
    calls.put("signalHook", hapax -> hapax.hooks().signal("order/1", "paid", null));
    calls.put("getHook", hapax -> hapax.hooks().get("order/1"));
    calls.put("dispose", hapax -> hapax.hooks().dispose("order/1", "run_1"));
    calls.put("register", hapax -> hapax.definitions().register("{}"));
    calls.put("definition", hapax -> hapax.definitions().get("order", ""));
    calls.put("intent", hapax -> hapax.intents().await("intent_1", HOUR));
    calls.put("posted", hapax -> hapax.intents().posted().forEach(each -> {}));
    calls.put("failed", hapax -> hapax.intents().failed().forEach(each -> {}));
    calls.put("nudge", hapax -> hapax.intents().nudge());
    return calls;
  }

  static Iterable<String> names() {
    return calls().keySet();
  }

  @ParameterizedTest
  @MethodSource("names")
  @DisplayName("given a call that blocks, when its thread is interrupted, then it is Unavailable")
  void interrupted(String name) throws Exception {
    SilentChannel silent = new SilentChannel();
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    AtomicBoolean isFlagSet = new AtomicBoolean();
    Thread caller =
        new Thread(
            () -> {
              try (Hapax hapax = Hapax.builder().channel(silent).connect()) {
                Objects.requireNonNull(calls().get(name)).accept(hapax);
                thrown.complete(new AssertionError("returned"));
              } catch (Throwable failure) {
                isFlagSet.set(Thread.currentThread().isInterrupted());
                thrown.complete(failure);
              }
            });
    caller.setDaemon(true);
    caller.start();
    silent.sent.await();

    caller.interrupt();

    assertThat(thrown.get())
        .isInstanceOf(HapaxException.Unavailable.class)
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(isFlagSet).isTrue();
    // the stream of a watch is on another thread, which goes on
    assertThat(silent.isCancelled.get()).isEqualTo(!name.equals("watch"));
  }

  @Test
  @DisplayName("given a long poll that pauses, when its thread is interrupted, then it ends, too")
  void interruptedInPause() {
    try (FakeHapax<ManualTiming> hapax = FakeHapax.still()) {
      hapax.intents.put(dev.hapax.v1.Intent.newBuilder().setTicket("intent_1").build());
      hapax.intents.onAwait(Thread.currentThread()::interrupt);
      Intents intents =
          Hapax.builder()
              .channel(hapax.channel)
              .timing(new PausedTiming(hapax.timing))
              .connect()
              .intents();

      assertThatThrownBy(() -> intents.await("intent_1", HOUR))
          .isInstanceOf(HapaxException.Unavailable.class);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  @DisplayName("given a watch, when the thread of its listener is interrupted, then it ends so")
  void watchInterrupted() {
    try (FakeHapax<ManualTiming> hapax = FakeHapax.still()) {
      Runs runs = Hapax.builder().channel(hapax.channel).timing(hapax.timing).connect().runs();
      RunWatch watch =
          runs.watch(
              runs.start("order").run().id(), 0, event -> Thread.currentThread().interrupt());
      Conditions.until(() -> !hapax.runs.requests(dev.hapax.v1.WatchRunRequest.class).isEmpty());
      hapax.runs.happens(1);

      assertThatThrownBy(() -> watch.await(Duration.ofSeconds(20)))
          .isInstanceOf(HapaxException.Unavailable.class);
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
  }
}
