package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.AwaitRunRequest;
import io.grpc.Context;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HapaxAsyncTest {

  private static final Duration HOUR = Duration.ofHours(1);

  private final FakeHapax<SystemTiming> server = FakeHapax.live();
  private final ExecutorService one = Executors.newSingleThreadExecutor();
  private final Hapax hapax =
      Hapax.builder().channel(server.channel).json(new FakeJson()).executor(one).connect();
  private final HapaxAsync async = hapax.async();

  @AfterEach
  void close() {
    one.shutdownNow();
    hapax.close();
    server.close();
  }

  /** Whether the only thread of the executor is free, with its flag of interrupts cleared. */
  private boolean isFlagSet() {
    return CompletableFuture.supplyAsync(Thread::interrupted, one).join();
  }

  @Test
  @DisplayName("given a run, when it is started and awaited, then the futures have its result")
  void results() {
    String runId = async.start("order", run -> run.key("o1").input(1)).join().run().id();
    server.runs.complete(runId, "\"paid\"");

    assertThat(async.result(runId, String.class, HOUR).join()).isEqualTo("paid");
    assertThat(async.result(runId, Codec.jsonText(), HOUR).join()).isEqualTo("\"paid\"");
    assertThat(async.call(hapax -> hapax.runs().get(runId)).join().hasEnded()).isTrue();
  }

  @Test
  @DisplayName("given work, when it is done once, then a duplicate gets its result")
  void once() {
    assertThat(async.once("charge", "r1", String.class, claim -> "first").join())
        .isEqualTo("first");
    assertThat(async.once(Operation.of("charge", "r1"), String.class, claim -> "second").join())
        .isEqualTo("first");
    assertThat(async.tryOnce(Operation.of("charge", "r1"), String.class, claim -> "third").join())
        .isInstanceOf(OnceOutcome.Replayed.class);
    assertThat(async.once("notify", "r2", claim -> {}).join()).isNull();
  }

  @Test
  @DisplayName("given work or a call that throws, then the future fails with what was thrown")
  void failures() {
    Exception declined = new Exception("declined");

    assertThatThrownBy(
            async.once(
                    "charge",
                    "r1",
                    String.class,
                    claim -> {
                      throw declined;
                    })
                ::join)
        .isInstanceOf(CompletionException.class)
        .hasCause(declined);
    assertThatThrownBy(async.call(hapax -> hapax.runs().get("run_no"))::join)
        .hasCauseInstanceOf(HapaxException.Refused.class);
    one.shutdown();
    assertThatThrownBy(async.call(Hapax::runs)::join)
        .hasCauseInstanceOf(RejectedExecutionException.class);
  }

  @Test
  @DisplayName("given a run that is awaited, when the future is cancelled, then the wait ends")
  void cancelled() {
    String runId = hapax.runs().start("order").run().id();
    CompletableFuture<String> result = async.result(runId, String.class, HOUR);
    Conditions.until(() -> !server.runs.requests(AwaitRunRequest.class).isEmpty());

    assertThat(result.cancel(true)).isTrue();

    assertThat(isFlagSet()).as("the thread is free, for other work").isFalse();
    assertThatThrownBy(result::join).isInstanceOf(CancellationException.class);
    assertThat(hapax.runs().get(runId).hasEnded()).isFalse();
  }

  @Test
  @DisplayName("given a call that waits for a thread, when it is cancelled, then it is not made")
  void cancelledBefore() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    one.execute(
        () -> {
          try {
            release.await();
          } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
          }
        });
    CompletableFuture<Started> started = async.start("order", run -> run);

    started.cancel(true);
    release.countDown();

    assertThat(isFlagSet()).isFalse();
    assertThat(server.runs.count()).isZero();
  }

  @Test
  @DisplayName(
      "given work that runs, when it is cancelled, then it is interrupted, and may run again")
  void cancelledWork() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<String> result =
        async.once(
            "charge",
            "r1",
            String.class,
            claim -> {
              begun.countDown();
              new CountDownLatch(1).await();
              return "never";
            });
    begun.await();

    result.cancel(true);

    assertThat(isFlagSet()).isFalse();
    assertThat(hapax.once("charge", "r1", String.class, claim -> "again")).isEqualTo("again");
  }

  @Test
  @DisplayName("given values in the context of the caller, then the call has them, too")
  void context() throws Exception {
    Context.Key<String> user = Context.key("user");

    CompletableFuture<String> found =
        Context.current().withValue(user, "ann").call(() -> async.call(hapax -> user.get()));

    assertThat(found.join()).isEqualTo("ann");
  }
}
