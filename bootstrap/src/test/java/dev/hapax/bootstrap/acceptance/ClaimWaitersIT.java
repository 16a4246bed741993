package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.PollRecoveriesResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fault")
class ClaimWaitersIT {
  private static final int CLIENTS = 10;
  private static final int EACH = 500;
  private static final int ENTITIES = 10;
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
      ClaimCaller caller,
      List<ListenableFuture<BeginActionResponse>> begins,
      List<ListenableFuture<PollRecoveriesResponse>> polls) {

    static Client park(ClaimCaller tenant, int begins, int polls) {
      var caller = tenant.via(DEPLOYMENT.target());
      var client =
          new Client(
              caller,
              ConcurrentCalls.send(begins, i -> begin(caller, i, 30)),
              ConcurrentCalls.send(polls, _ -> poll(caller, 30)));
      // calls of a connection are read in order: once this is answered those wait
      assertThat(caller.send(caller.begin("0")).hasClaimFailed()).isTrue();
      return client;
    }

    boolean allWait() {
      return Stream.concat(begins.stream(), polls.stream()).noneMatch(Future::isDone);
    }
  }

  private static ListenableFuture<BeginActionResponse> begin(
      ClaimCaller caller, int i, int seconds) {
    var request = caller.begin("" + i % ENTITIES).setWait(Caller.seconds(seconds));
    return caller.futures().beginAction(request.build());
  }

  private static ListenableFuture<PollRecoveriesResponse> poll(ClaimCaller caller, int seconds) {
    var request = caller.polling("worker").setWait(Caller.seconds(seconds));
    return caller.recoverers().pollRecoveries(request.build());
  }

  /** Claimed entities with a remote janitor. */
  private static List<Claim> held(ClaimCaller caller) {
    caller.declare(ClaimCaller.remote().setStaleAfter(Caller.seconds(300)));
    var ids = IntStream.range(0, ENTITIES).mapToObj(i -> "" + i).toList();
    ids.forEach(caller::approved);
    return ids.stream().map(caller::claimed).toList();
  }

  @Test
  @DisplayName(
      "10,000 parked BeginActions and polls cost no connection and less than 100 MiB " + "[X5]")
  void costLittle() {
    try (var caller = ClaimCaller.to(DEPLOYMENT.target())) {
      var claims = held(caller);
      Condition.await("connections are open", () -> DEPLOYMENT.connections() >= CONNECTIONS);
      var before = DEPLOYMENT.server().liveBytes();

      var clients = Stream.generate(() -> Client.park(caller, EACH, EACH)).limit(CLIENTS).toList();
      assertThat(DEPLOYMENT.server().liveBytes() - before).isLessThan(MOST_BYTES);
      assertThat(DEPLOYMENT.connections()).isBetween(CONNECTIONS, MOST_CONNECTIONS);
      Condition.await("all are idle", SOON, () -> DEPLOYMENT.busyConnections() == 0);
      assertThat(clients).allMatch(Client::allWait);

      // of those who wait for an entity one is next, and only one
      var failure = ActionFailureKind.ACTION_FAILURE_KIND_FAILURE;
      assertThat(caller.fail(claims.getFirst(), failure).hasFailed()).isTrue();
      Condition.await("one of them acts", () -> begun(clients).count() == 1);
      var next = ConcurrentCalls.answer(begun(clients).findFirst().orElseThrow()).getGranted();
      assertThat(next.getClaim().getFence()).isGreaterThan(claims.getFirst().getFence());
      claims
          .subList(1, ENTITIES)
          .forEach(claim -> assertThat(caller.complete(claim).hasCompleted()).isTrue());
      assertThat(caller.complete(next.getClaim()).hasCompleted()).isTrue();
      assertThat(
              clients.stream().flatMap(client -> ConcurrentCalls.answers(client.begins).stream()))
          .hasSize(CLIENTS * EACH)
          .filteredOn(answer -> !answer.hasGranted())
          .hasSize(CLIENTS * EACH - 1)
          .allMatch(answer -> answer.getWrongStatus().getStatus().equals("closed"));
      assertThat(clients.stream().flatMap(client -> client.polls.stream()))
          .noneMatch(Future::isDone);
      clients.forEach(client -> client.caller.close());
    }
  }

  private static Stream<ListenableFuture<BeginActionResponse>> begun(List<Client> clients) {
    return clients.stream().flatMap(client -> client.begins.stream()).filter(Future::isDone);
  }

  @Test
  @DisplayName("a caller that goes frees the places of its waits, and is granted nothing [X5]")
  void freePlaces() {
    try (var caller = ClaimCaller.to(DEPLOYMENT.target())) {
      var claim = held(caller).getFirst();
      var gone = Client.park(caller, 2 * EACH, EACH);
      var others =
          Stream.generate(() -> Client.park(caller, 2 * EACH, 0))
              .limit(MAX_PER_WORKSPACE / (2 * EACH) - 1)
              .toList();
      assertThat(isRefused(begin(caller, 0, 1))).isTrue();

      gone.caller.close();

      Condition.await("its places are free", SOON, () -> hasRoom(caller));
      others.forEach(client -> client.caller.close());
      Condition.await("all places are free", SOON, () -> hasRoom(caller));
      var failure = ActionFailureKind.ACTION_FAILURE_KIND_FAILURE;
      assertThat(caller.fail(claim, failure).hasFailed()).isTrue();
      assertThat(caller.get("0").getStatus()).isEqualTo("approved");
      assertThat(caller.send(caller.begin("0")).hasGranted()).isTrue();
    }
  }

  /** Whether as many as one client had can wait at once. */
  private static boolean hasRoom(ClaimCaller caller) {
    var calls = ConcurrentCalls.send(2 * EACH, i -> begin(caller, i, 1));
    // waits for all of them: open ones would use the quota of the next attempt
    return calls.stream().filter(ClaimWaitersIT::isRefused).toList().isEmpty();
  }

  private static boolean isRefused(Future<BeginActionResponse> call) {
    try {
      assertThat(call.get().hasClaimFailed()).isTrue();
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
