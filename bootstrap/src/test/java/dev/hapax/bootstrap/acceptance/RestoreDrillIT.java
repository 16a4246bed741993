package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.DataDir;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.Claim;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.RunEvent;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup under load, a loss, and a restore: what must be there, and who must not continue. */
@Tag("fault")
@Tag("long")
class RestoreDrillIT {
  private static final int CLIENTS = 4;

  @TempDir private Path folder = Path.of("");

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /** Acknowledged results, by key. */
  private final Map<String, String> acknowledged = new ConcurrentHashMap<>();

  private final Queue<String> runs = new ConcurrentLinkedQueue<>();

  private Path original() {
    return folder.resolve("original");
  }

  private Path restored() {
    return folder.resolve("restored");
  }

  @AfterEach
  void end() throws IOException {
    threads.shutdownNow();
    new DataDir(original()).close();
    new DataDir(restored()).close();
  }

  private static HapaxProcess serve(Path dataDir) {
    return HapaxProcess.start("serve", "--listen=127.0.0.1:0", "--data-dir=" + dataDir);
  }

  /** Runs a command to its end; what it has printed. */
  private static String hapax(String... arguments) {
    try (var process = HapaxProcess.start(arguments)) {
      assertThat(process.awaitExit()).as("%s", process.errors()).isZero();
      return String.join("\n", process.output());
    }
  }

  /** Clients complete operations and start runs, until the server is gone. */
  private List<Future<?>> load(RunCaller caller) {
    caller.define("order", RunCaller.task("charge"));
    return IntStream.range(0, CLIENTS)
        .<Future<?>>mapToObj(client -> threads.submit(() -> work(caller, client)))
        .toList();
  }

  private void work(RunCaller caller, int client) {
    try {
      for (var n = 0; ; n++) {
        var key = String.format(Locale.ROOT, "key-%d-%d", client, n);
        var claim = caller.caller().acquire(key);
        var result = String.format(Locale.ROOT, "\"%d\"", claim.getFence());
        caller.caller().complete(claim, Caller.json(result));
        acknowledged.put(key, result);
        runs.add(caller.started("order"));
      }
    } catch (StatusRuntimeException _) {
      // the server is gone
    }
  }

  @Test
  @Tag("U5")
  @DisplayName(
      "given a backup made under load and a database that is lost later, when it is restored, then it"
          + " has all that was acknowledged before, and refuses the holders from before it")
  void drill() throws Exception {
    var file = folder.resolve("backup.tar.gz").toString();
    try (var server = serve(original());
        var caller = RunCaller.to(server.awaitReady())) {
      var clients = load(caller);
      Condition.await(
          "some are done",
          Condition.MUCH_WORK,
          () -> acknowledged.size() > 100 && runs.size() > 100);
      var replaced = caller.caller().acquireShortly("held");
      var task = caller.poll("worker-1").getClaim();
      var before = Map.copyOf(acknowledged);
      var runsBefore = List.copyOf(runs);

      assertThat(hapax("backup", file, "--data-dir=" + original())).startsWith("wrote " + file);

      // what happens from here on is lost
      int then = acknowledged.size();
      var successor = caller.caller().acquire("held");
      var lost = caller.caller().acquire("lost");
      Condition.await("more are done", () -> acknowledged.size() > then + 50);
      server.kill9();
      new DataDir(original()).close();
      for (var client : clients) {
        client.get();
      }
      restore(file, caller.workspace());

      try (var again = serve(restored());
          var later = caller.via(again.awaitReady())) {
        assertComplete(later, before, runsBefore);
        assertRefused(later, task, List.of(replaced, successor, lost));
        assertContinues(later, task, successor);
        again.terminate();
        assertThat(again.awaitExit()).isZero();
      }
    }
  }

  private void restore(String file, String workspace) {
    assertThat(hapax("restore", file, "--data-dir=" + restored()))
        .contains("hapax doctor --after-restore=replacement");
    try (var tooEarly = serve(restored())) {
      assertThat(tooEarly.awaitExit()).isEqualTo(8);
      assertThat(tooEarly.errors().getLast()).contains("was restored from a backup");
    }
    assertThat(hapax("doctor", "--after-restore=replacement", "--data-dir=" + restored()))
        .contains("by the last heartbeat of a server", "epoch 1 has begun")
        .containsPattern("operation +" + workspace + " +\\S+ held ")
        .containsPattern("task +" + workspace + " +run_\\w+ +worker-1 ");
  }

  /** Each result is there, and each history has every version once. */
  private static void assertComplete(
      RunCaller caller, Map<String, String> results, List<String> runs) {
    results.forEach(
        (key, result) ->
            assertThat(caller.caller().get(key).getResult().getJson()).isEqualTo(result));
    for (var run : runs) {
      assertThat(caller.events(run))
          .extracting(RunEvent::getVersion)
          .containsExactlyElementsOf(
              LongStream.rangeClosed(1, caller.get(run).getVersion()).boxed().toList());
    }
  }

  private static void assertRefused(RunCaller caller, Claim task, List<Claim> operations) {
    for (var claim : operations) {
      assertThat(caller.caller().complete(claim, Caller.json("1")).hasClaimLost()).isTrue();
    }
    assertThat(caller.complete(task, "1").hasClaimLost()).isTrue();
  }

  private static void assertContinues(RunCaller caller, Claim task, Claim successor) {
    var again = caller.caller().acquire("held");
    assertThat(again.getFence()).isGreaterThan(successor.getFence());
    caller.caller().complete(again, Caller.json("2"));
    assertThat(caller.caller().get("held").getState())
        .isEqualTo(OperationState.OPERATION_STATE_COMPLETED);
    var next = caller.poll("worker-2").getClaim();
    assertThat(next.getFence()).isGreaterThan(task.getFence());
    assertThat(caller.complete(next, "2").hasCompleted()).isTrue();
    assertThat(caller.caller().acquire("new").getFence()).isGreaterThan(successor.getFence());
  }
}
