package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.PollTasksResponse;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that stops while callers use it. */
@Tag("fault")
class ShutdownIT {
  private static final int WAITING = 20;
  private static final int CLIENTS = 8;

  @Test
  @Tag("U4")
  @DisplayName(
      "given a server under load with a shutdown delay, when it gets SIGTERM, then it is not ready at"
          + " once, accepts calls for the delay, answers all of them, and exits with 0")
  void underLoad() throws Exception {
    try (var deployment =
            Deployment.configured("--metrics-listen=127.0.0.1:0", "--shutdown-delay=10s");
        var caller = RunCaller.to(deployment.target());
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var probe = Probe.of(deployment.server());
      var operations = caller.caller();
      var held = operations.acquire("held");
      var polls = new ArrayList<ListenableFuture<PollTasksResponse>>();
      var begins = new ArrayList<ListenableFuture<BeginOperationResponse>>();
      for (var i = 0; i < WAITING; i++) {
        polls.add(
            caller
                .workers()
                .pollTasks(caller.polling("worker-" + i).setWait(Caller.seconds(30)).build()));
        begins.add(
            operations
                .futures()
                .beginOperation(operations.begin("held").setWait(Caller.seconds(30)).build()));
      }
      var answered = new AtomicInteger();
      var notReady = new AtomicBoolean();
      var afterwards = new AtomicInteger();
      Callable<Code> client =
          () -> {
            for (var n = 0; ; n++) {
              var key = Thread.currentThread().threadId() + "-" + n;
              var isAfterwards = notReady.get();
              try {
                var claim = operations.acquire(key);
                assertThat(operations.complete(claim, Caller.json("1")).hasCompleted()).isTrue();
              } catch (StatusRuntimeException e) {
                return e.getStatus().getCode();
              }
              answered.incrementAndGet();
              if (isAfterwards) {
                afterwards.incrementAndGet();
              }
            }
          };
      var clients = new ArrayList<Future<Code>>();
      for (var i = 0; i < CLIENTS; i++) {
        clients.add(threads.submit(client));
      }
      Condition.await("calls are answered", () -> answered.get() > 100);

      deployment.server().terminate();
      Condition.await("it is not ready", () -> probe.get("/readyz").status() == 503);
      notReady.set(true);
      Condition.await("new calls are answered", () -> afterwards.get() > 10);
      assertThat(polls).noneMatch(ListenableFuture::isDone);
      try (var newConnection = caller.via(deployment.target())) {
        assertThat(newConnection.caller().acquire("new").getFence()).isPositive();
      }
      assertThat(operations.renew(held).hasRenewed()).isTrue();

      for (var poll : polls) {
        assertThat(poll.get().getTasksList()).isEmpty();
      }
      for (var begin : begins) {
        assertThat(begin.get().hasInProgress()).isTrue();
      }
      assertThat(deployment.server().awaitExit()).isZero();
      for (var each : clients) {
        assertThat(each.get()).isEqualTo(Code.UNAVAILABLE);
      }
    }
  }
}
