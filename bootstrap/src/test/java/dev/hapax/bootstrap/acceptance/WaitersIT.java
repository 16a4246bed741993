package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.ErrorReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Thousands of calls wait. One kind runs in every build. */
@Tag("X5")
class WaitersIT {
  private static final String COST =
      "given 10,000 parked calls for {0}, then they cost no connection and less than 100 MiB";
  private static final String PLACES =
      "given parked calls for {0} whose client goes, then their places are free, and nothing is"
          + " granted";

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
  private record Client(ClaimCaller caller, List<Future<?>> first, List<Future<?>> second) {
    static Client park(ClaimCaller tenant, LongCalls calls, int first, int second) {
      var caller = tenant.via(DEPLOYMENT.target());
      calls.requireRead(caller);
      var client =
          new Client(
              caller,
              List.copyOf(ConcurrentCalls.send(first, i -> calls.first(caller, i, 30))),
              List.copyOf(ConcurrentCalls.send(second, i -> calls.second(caller, i))));
      calls.requireRead(caller);
      return client;
    }

    boolean allWait() {
      return Stream.concat(first.stream(), second.stream()).noneMatch(Future::isDone);
    }
  }

  @ParameterizedTest(name = COST)
  @EnumSource(names = "OPERATIONS")
  void operationsCostLittle(LongCalls.Kind kind) {
    costLittle(kind);
  }

  @ParameterizedTest(name = COST)
  @EnumSource(mode = Mode.EXCLUDE, names = "OPERATIONS")
  @Tag("fault")
  @Tag("long")
  void othersCostLittle(LongCalls.Kind kind) {
    costLittle(kind);
  }

  private static void costLittle(LongCalls.Kind kind) {
    try (var caller = ClaimCaller.to(DEPLOYMENT.target())) {
      var calls = kind.of(caller);
      Condition.await("connections are open", () -> DEPLOYMENT.connections() >= CONNECTIONS);
      var before = DEPLOYMENT.server().liveBytes();

      var clients =
          Stream.generate(() -> Client.park(caller, calls, EACH, EACH)).limit(CLIENTS).toList();
      assertThat(DEPLOYMENT.server().liveBytes() - before).isLessThan(MOST_BYTES);
      assertThat(DEPLOYMENT.connections()).isBetween(CONNECTIONS, MOST_CONNECTIONS);
      Condition.await("all are idle", SOON, () -> DEPLOYMENT.busyConnections() == 0);
      assertThat(clients).map(Client::allWait).containsOnly(true);

      var first = new ArrayList<Future<?>>();
      var second = new ArrayList<Future<?>>();
      clients.forEach(client -> first.addAll(client.first));
      clients.forEach(client -> second.addAll(client.second));
      calls.end(first, second);
      clients.forEach(client -> client.caller.close());
    }
  }

  @ParameterizedTest(name = PLACES)
  @EnumSource(names = "OPERATIONS")
  void operationsFreePlaces(LongCalls.Kind kind) {
    freePlaces(kind);
  }

  @ParameterizedTest(name = PLACES)
  @EnumSource(mode = Mode.EXCLUDE, names = "OPERATIONS")
  @Tag("fault")
  @Tag("long")
  void othersFreePlaces(LongCalls.Kind kind) {
    freePlaces(kind);
  }

  private static void freePlaces(LongCalls.Kind kind) {
    try (var caller = ClaimCaller.to(DEPLOYMENT.target())) {
      var calls = kind.of(caller);
      var gone = Client.park(caller, calls, EACH, EACH);
      var others =
          Stream.generate(() -> Client.park(caller, calls, 2 * EACH, 0))
              .limit(MAX_PER_WORKSPACE / (2 * EACH) - 1)
              .toList();
      assertThat(isRefused(calls, calls.first(caller, 0, 1))).isTrue();

      gone.caller.close();

      Condition.await("its places are free", SOON, () -> hasRoom(calls, caller));
      assertThat(others).map(Client::allWait).containsOnly(true);
      others.forEach(client -> client.caller.close());
      Condition.await("all places are free", SOON, () -> hasRoom(calls, caller));
      calls.requireUngranted();
    }
  }

  /** Whether as many as one client had can wait at once. */
  private static boolean hasRoom(LongCalls calls, ClaimCaller caller) {
    var sent = ConcurrentCalls.send(2 * EACH, i -> calls.first(caller, i, 1));
    // waits for all of them: open ones would use the quota of the next attempt
    return sent.stream().filter(call -> isRefused(calls, call)).toList().isEmpty();
  }

  private static boolean isRefused(LongCalls calls, Future<?> call) {
    try {
      assertThat(calls.isVain(call.get())).isTrue();
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
