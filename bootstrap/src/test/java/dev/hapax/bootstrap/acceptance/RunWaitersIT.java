package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.PollTasksResponse;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fault")
class RunWaitersIT {
  private static final int CLIENTS = 10;
  private static final int EACH = 500;
  private static final long MOST_BYTES = 100L << 20;
  private static final int MAX_PER_WORKSPACE = 20_000;

  /** Two of the ledger, one that reads, one that reads all workspaces, one that listens. */
  private static final int CONNECTIONS = 5;

  /** Two more may read all workspaces; no other pool has room to grow. */
  private static final int MOST_CONNECTIONS = 7;

  /** The row says 1 s; a busy machine may take longer, but less than the waits last. */
  private static final Duration SOON = Duration.ofSeconds(15);

  private static final Deployment DEPLOYMENT = Deployment.configured("--pool-size=3");

  @AfterAll
  static void close() {
    DEPLOYMENT.close();
  }

  /** One connection, and what waits on it. */
  private record Client(
      RunCaller caller,
      List<ListenableFuture<AwaitRunResponse>> awaits,
      List<ListenableFuture<PollTasksResponse>> polls) {

    static Client park(RunCaller tenant, String run, int awaits, int polls) {
      var caller = tenant.via(DEPLOYMENT.target());
      var client =
          new Client(
              caller,
              ConcurrentCalls.send(awaits, _ -> caller.futures().awaitRun(caller.awaiting(run))),
              ConcurrentCalls.send(polls, _ -> poll(caller, 30)));
      // calls of a connection are read in order: once this is answered those wait
      assertThat(caller.get(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_WAITING);
      return client;
    }

    boolean allWait() {
      return Stream.concat(awaits.stream(), polls.stream()).noneMatch(Future::isDone);
    }
  }

  private static ListenableFuture<PollTasksResponse> poll(RunCaller caller, int seconds) {
    var request = caller.polling("worker").setWait(Caller.seconds(seconds)).build();
    return caller.workers().pollTasks(request);
  }

  private static String waiting(RunCaller caller) {
    caller.define("order", RunCaller.signal("approval", "go"), RunCaller.task("charge"));
    return caller.started("order");
  }

  @Test
  @DisplayName("10,000 parked awaits and polls cost no connection and less than 100 MiB [X5]")
  void costLittle() {
    try (var caller = RunCaller.to(DEPLOYMENT.target())) {
      var run = waiting(caller);
      Condition.await("connections are open", () -> DEPLOYMENT.connections() >= CONNECTIONS);
      var before = DEPLOYMENT.server().liveBytes();

      var clients =
          Stream.generate(() -> Client.park(caller, run, EACH, EACH)).limit(CLIENTS).toList();
      assertThat(DEPLOYMENT.server().liveBytes() - before).isLessThan(MOST_BYTES);
      assertThat(DEPLOYMENT.connections()).isBetween(CONNECTIONS, MOST_CONNECTIONS);
      Condition.await("all are idle", SOON, () -> DEPLOYMENT.busyConnections() == 0);
      assertThat(clients).allMatch(Client::allWait);

      // one task is for one of the polls, the end of the run for all awaits
      assertThat(caller.signal(run, "signal", "go").getDisposition())
          .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DELIVERED);
      Condition.await("a poll has it", () -> tasks(clients).count() == 1);
      var task = ConcurrentCalls.answer(tasks(clients).findFirst().orElseThrow()).getTasks(0);
      assertThat(clients).allMatch(c -> c.awaits.stream().noneMatch(Future::isDone));
      assertThat(caller.complete(task.getClaim(), "1").hasCompleted()).isTrue();
      assertThat(clients.stream().flatMap(c -> ConcurrentCalls.answers(c.awaits).stream()))
          .hasSize(CLIENTS * EACH)
          .allMatch(answer -> answer.getRun().getStatus() == RunStatus.RUN_STATUS_COMPLETED);
      assertThat(tasks(clients)).hasSize(1);
      clients.forEach(client -> client.caller.close());
    }
  }

  private static Stream<ListenableFuture<PollTasksResponse>> tasks(List<Client> clients) {
    return clients.stream().flatMap(c -> c.polls.stream()).filter(Future::isDone);
  }

  @Test
  @DisplayName("a worker that goes frees the places of its polls, and is given nothing [X5]")
  void freePlaces() {
    try (var caller = RunCaller.to(DEPLOYMENT.target())) {
      var run = waiting(caller);
      var gone = Client.park(caller, run, EACH, EACH);
      var others =
          Stream.generate(() -> Client.park(caller, run, 0, 2 * EACH))
              .limit(MAX_PER_WORKSPACE / (2 * EACH) - 1)
              .toList();
      assertThat(isRefused(poll(caller, 0))).isTrue();

      gone.caller.close();

      Condition.await("its places are free", SOON, () -> hasRoom(caller));
      others.forEach(client -> client.caller.close());
      Condition.await("all places are free", SOON, () -> hasRoom(caller));
      assertThat(caller.signal(run, "signal", "go").getDisposition())
          .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DELIVERED);
      var task = caller.poll("worker");
      assertThat(task.getStep().getAttempt()).isOne();
    }
  }

  /** Whether as many as one client had can wait at once. */
  private static boolean hasRoom(RunCaller caller) {
    var calls = ConcurrentCalls.send(2 * EACH, _ -> poll(caller, 1));
    // waits for all of them: open ones would use the quota of the next attempt
    return calls.stream().filter(RunWaitersIT::isRefused).toList().isEmpty();
  }

  private static boolean isRefused(Future<PollTasksResponse> call) {
    try {
      assertThat(call.get().getTasksCount()).isZero();
      return false;
    } catch (ExecutionException e) {
      assertThat(Refusal.of(e).reason()).isEqualTo(ErrorReason.ERROR_REASON_TOO_MANY_WAITERS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
