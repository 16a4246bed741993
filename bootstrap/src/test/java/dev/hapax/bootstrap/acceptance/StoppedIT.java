package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteOperationResponse;
import dev.hapax.v1.OperationState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("secured")
class StoppedIT {
  private static final int KEYS = 20;
  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName(
      "given a holder stopped past its lease, when it continues, then it is rejected " + "[I9]")
  void stoppedHolder() throws IOException {
    var deployment = Deployment.shared();
    var done = folder.resolve("done");
    try (var caller = deployment.caller();
        var holder =
            HapaxProcess.startMain(
                Holder.class.getName(),
                Map.of(),
                deployment.target(),
                caller.workspace(),
                "key",
                done.toString())) {
      var held = holder.awaitOutput(line -> line.startsWith(Holder.HOLDS));
      var fence = Long.parseLong(held.substring(Holder.HOLDS.length()));
      // it keeps its lease for as long as it lives
      var renewed = caller.get("key").getLeaseUntil();
      Condition.await("renewed", () -> !caller.get("key").getLeaseUntil().equals(renewed));
      assertThat(caller.send(caller.begin("key")).hasInProgress()).isTrue();

      holder.stop();
      var begin = caller.begin("key").setWait(Caller.seconds(30));
      var successor = caller.acquire(begin);
      assertThat(successor.getReclaimed()).isTrue();
      assertThat(successor.getClaim().getFence()).isGreaterThan(fence);
      caller.complete(successor.getClaim(), Caller.json("\"successor's\""));
      Files.createFile(done);
      holder.cont();

      assertThat(holder.awaitOutput(line -> line.startsWith(Holder.TOLD)))
          .isEqualTo(Holder.TOLD + "CLAIM_LOST \"successor's\"");
      assertThat(caller.send(caller.begin("key")).getReplay().getResult())
          .isEqualTo(Caller.json("\"successor's\""));
    }
  }

  @Test
  @DisplayName("what a stopped server still has to say of replaced holders is claim_lost [I9]")
  void stoppedServer() {
    try (var deployment = Deployment.start();
        var other = deployment.add();
        var caller = deployment.caller();
        var viaOther = caller.via(other.awaitReady())) {
      var claims =
          IntStream.range(0, KEYS)
              .mapToObj(i -> caller.acquire(begin(caller, i)).getClaim())
              .toList();
      deployment.server().stop();
      var late = new ArrayList<ListenableFuture<CompleteOperationResponse>>();
      for (var claim : claims) {
        late.add(caller.futures().completeOperation(caller.completion(claim, Caller.json("1"))));
      }

      var successors = new ArrayList<Claim>();
      for (var i = 0; i < KEYS; i++) {
        var successor = viaOther.acquire(begin(viaOther, i).setWait(Caller.seconds(30)));
        assertThat(successor.getReclaimed()).isTrue();
        assertThat(successor.getClaim().getFence()).isGreaterThan(claims.get(i).getFence());
        successors.add(successor.getClaim());
      }
      // half of them have completed when it goes on
      for (var i = 0; i < KEYS; i += 2) {
        viaOther.complete(successors.get(i), Caller.json("2"));
      }
      assertThat(late).noneMatch(ListenableFuture::isDone);
      deployment.server().cont();

      var answers = ConcurrentCalls.answers(late);
      for (var i = 0; i < KEYS; i++) {
        var lost = answers.get(i).getClaimLost();
        if (i % 2 == 0) {
          assertThat(lost.getReplay().getResult()).isEqualTo(Caller.json("2"));
        } else {
          assertThat(lost.getOperationState())
              .isEqualTo(OperationState.OPERATION_STATE_IN_PROGRESS);
        }
      }
    }
  }

  private static BeginOperationRequest.Builder begin(Caller caller, int key) {
    return caller.begin("key-" + key).setLease(Caller.millis(300));
  }

  @Test
  @Tag("fault")
  @DisplayName(
      "given two servers under load, when one at a time is stopped, then no answer "
          + "is wrong [I9]")
  void alternatelyStopped() {
    alternate(4);
  }

  @Test
  @Tag("soak")
  @DisplayName("with one of two servers stopped at a time, for long [I9]")
  void alternatelyStoppedForLong() {
    alternate(60);
  }

  private static void alternate(int rounds) {
    try (var deployment = Deployment.start();
        var other = deployment.add();
        var caller = deployment.caller();
        var viaOther = caller.via(other.awaitReady())) {
      var servers = List.of(deployment.server(), other);
      var history = new History();
      var rivals = new Rivals(List.of(caller, viaOther), history);
      for (var round = 0; round < rounds; round++) {
        var prefix = "round-" + round + "-";
        var keys = IntStream.range(0, 150).mapToObj(i -> prefix + i).toList();
        var before = history.accepted();
        var timedOut = history.timesUnavailable();
        var clients = rivals.start(keys, 3);
        Condition.await("both work", () -> history.accepted() > before + 20);
        var stopped = servers.get(round % 2);
        stopped.stop();
        Condition.await("the other one goes on", () -> history.accepted() > before + 80);
        Condition.await(
            "calls of the stopped one time out", () -> history.timesUnavailable() > timedOut);
        stopped.cont();
        Rivals.join(clients);
      }

      assertThat(history.violations()).isEmpty();
      assertThat(history.keys()).hasSize(rounds * 150);
      assertThat(history.takeOvers()).isGreaterThan(rounds);
      assertThat(history.refusals()).isGreaterThan(rounds);
      for (var key : history.keys()) {
        assertThat(viaOther.get(key).getResult().getJson()).isEqualTo(history.result(key));
      }
      assertThat(deployment.rows()).isEqualTo(history.keys().size());
    }
  }
}
