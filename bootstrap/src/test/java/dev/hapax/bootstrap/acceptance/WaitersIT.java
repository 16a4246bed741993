package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.ErrorReason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WaitersIT {
  private static final int WAITS_EACH = 1_000;
  private static final int KEYS = 10;
  private static final long MOST_BYTES = 100L << 20;

  /** Two of the ledger, one that reads, one that reads all workspaces, one that listens. */
  private static final int CONNECTIONS = 5;

  /** Two more may read all workspaces; no other pool has room to grow. */
  private static final int MOST_CONNECTIONS = 7;

  private static final int MAX_PER_WORKSPACE = 20_000;

  /** The row says 1 s; a busy machine may take longer, but less than the waits last. */
  private static final Duration SOON = Duration.ofSeconds(15);

  @Test
  @DisplayName("10,000 parked waits cost no database connection and less than 100 MiB [X5]")
  void costLittle() {
    try (var deployment = Deployment.configured("--pool-size=3");
        var holder = deployment.caller()) {
      var claims = IntStream.range(0, KEYS).mapToObj(i -> holder.acquire("key-" + i)).toList();
      Condition.await("connections are open", () -> deployment.connections() >= CONNECTIONS);
      var before = deployment.server().liveBytes();

      var clients = park(deployment, holder, 10_000);
      assertThat(deployment.server().liveBytes() - before).isBetween(0L, MOST_BYTES);
      assertThat(deployment.connections()).isBetween(CONNECTIONS, MOST_CONNECTIONS);
      Condition.await("all are idle", SOON, () -> deployment.busyConnections() == 0);
      assertThat(clients).allMatch(Parked::allWait);

      claims.forEach(claim -> holder.complete(claim, Caller.json("1")));
      assertThat(clients.stream().flatMap(Parked::answers))
          .hasSize(10_000)
          .allMatch(BeginOperationResponse::hasReplay);
      clients.forEach(Parked::close);
    }
  }

  @Test
  @DisplayName("a client that goes frees the places of its waits [X5]")
  void freePlaces() {
    try (var deployment = Deployment.start();
        var holder = deployment.caller();
        var next = holder.via(deployment.target())) {
      IntStream.range(0, KEYS).forEach(i -> holder.acquire("key-" + i));
      var clients = park(deployment, holder, MAX_PER_WORKSPACE);
      assertThat(isRefused(wait(next, 0))).isTrue();

      clients.getFirst().close();

      Condition.await("all its places are free", SOON, () -> hasRoom(next));
      var others = clients.subList(1, clients.size());
      assertThat(others).allMatch(Parked::allWait);
      others.forEach(Parked::close);
    }
  }

  private static List<Parked> park(Deployment deployment, Caller tenant, int waits) {
    return Stream.generate(() -> tenant.via(deployment.target()))
        .limit(waits / WAITS_EACH)
        .map(client -> Parked.on(client, WAITS_EACH, i -> "key-" + i % KEYS))
        .toList();
  }

  /** Whether as many as one client had can wait at once. */
  private static boolean hasRoom(Caller caller) {
    var calls = ConcurrentCalls.send(WAITS_EACH, i -> wait(caller, i));
    // waits for all of them: open ones would use the quota of the next attempt
    return calls.stream().filter(WaitersIT::isRefused).toList().isEmpty();
  }

  private static ListenableFuture<BeginOperationResponse> wait(Caller caller, int i) {
    var begin = caller.begin("key-" + i % KEYS).setWait(Caller.seconds(1));
    return caller.futures().beginOperation(begin.build());
  }

  private static boolean isRefused(Future<BeginOperationResponse> call) {
    try {
      assertThat(call.get().hasInProgress()).isTrue();
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
