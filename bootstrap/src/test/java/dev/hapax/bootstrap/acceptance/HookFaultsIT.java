package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("fault")
@Tag("long")
class HookFaultsIT {
  private static final int RIVALS = 12;
  private static final String TOKEN = "order/1";
  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName(
      "given 12 processes that claim one token, then one owns it and 11 get its " + "owner [H1]")
  void processes() throws IOException {
    var deployment = Deployment.shared();
    var go = folder.resolve("go");
    var rivals = new ArrayList<HapaxProcess>();
    try (var caller = HookCaller.to(deployment.target())) {
      for (var i = 0; i < RIVALS; i++) {
        rivals.add(
            HapaxProcess.startMain(
                RivalMain.class.getName(),
                Map.of(),
                deployment.target(),
                caller.runs().workspace(),
                TOKEN,
                go.toString()));
      }
      rivals.forEach(rival -> rival.awaitOutput(RivalMain.READY::equals));
      Files.createFile(go);
      var told =
          rivals.stream()
              .map(
                  rival ->
                      rival.awaitOutput(
                          line ->
                              line.startsWith(RivalMain.OWNS) || line.startsWith(RivalMain.MEETS)))
              .toList();
      var owner = caller.get(TOKEN).getRunId();
      assertThat(told).containsOnlyOnce(RivalMain.OWNS + owner);
      assertThat(told).filteredOn(line -> line.equals(RivalMain.MEETS + owner)).hasSize(RIVALS - 1);
    } finally {
      rivals.forEach(HapaxProcess::close);
    }
  }

  @Test
  @DisplayName("a server is killed while 300 supersede and 300 signals come [X2, H7, H8]")
  void killed() throws Exception {
    try (var deployment = Deployment.start();
        var caller = HookCaller.to(deployment.target())) {
      var second = deployment.add();
      try (var other = caller.via(second.awaitReady());
          var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        var all = new Persistent<>(List.of(caller, other));
        var first = caller.owner(TOKEN).getId();
        var started = new ConcurrentHashMap<String, String>();
        var delivered = new ConcurrentHashMap<String, String>();
        var calls = new ArrayList<Future<?>>();
        for (var i = 0; i < 300; i++) {
          var number = i;
          calls.add(threads.submit(() -> supersede(all, number, started)));
          calls.add(threads.submit(() -> signal(all, number, delivered)));
        }
        Condition.await("some have superseded", () -> started.size() > 30);
        deployment.server().kill9();
        for (var call : calls) {
          call.get();
        }
        assertChain(other, first, started);
        assertReceived(other, delivered);
      }
    }
  }

  private static void supersede(
      Persistent<HookCaller> all, int number, Map<String, String> started) {
    var key = "key-" + number;
    var answer =
        all.ask(
            number,
            c -> c.send(c.start(TOKEN, OnConflict.ON_CONFLICT_SUPERSEDE).setIdempotencyKey(key)));
    started.put(key, answer.getRun().getId());
  }

  /** The owner that is sent to may be superseded before or after. */
  private static void signal(
      Persistent<HookCaller> all, int number, Map<String, String> delivered) {
    var id = "signal-" + number;
    var answer = all.ask(number, c -> c.hooks().signalHook(c.toOwner(TOKEN, id).build()));
    delivered.put(id, answer.getRunId());
  }

  private static void assertChain(HookCaller caller, String first, Map<String, String> started) {
    var runs = new HashMap<String, Run>();
    list(caller).forEach(run -> runs.put(run.getId(), run));
    var chain = new ArrayList<String>();
    for (var next = first; !next.isEmpty(); next = run(runs, next).getSupersededBy()) {
      chain.add(next);
    }
    assertThat(chain).doesNotHaveDuplicates().hasSize(started.size() + 1);
    assertThat(chain).containsAll(started.values());
    assertThat(runs.keySet()).containsExactlyInAnyOrderElementsOf(chain);
    assertThat(chain.subList(0, chain.size() - 1))
        .allMatch(id -> run(runs, id).getStatus() == RunStatus.RUN_STATUS_CANCELLED);
    assertThat(caller.get(TOKEN).getRunId()).isEqualTo(chain.getLast());
  }

  private static Run run(Map<String, Run> runs, String id) {
    return Objects.requireNonNull(runs.get(id), id);
  }

  private static List<Run> list(HookCaller caller) {
    var request =
        ListRunsRequest.newBuilder().setWorkspace(caller.runs().workspace()).setPageSize(500);
    return caller.runs().runs().listRuns(request.build()).getRunsList();
  }

  private static void assertReceived(HookCaller caller, Map<String, String> delivered) {
    delivered.values().stream()
        .distinct()
        .forEach(
            run ->
                assertThat(
                        caller.runs().events(run).stream()
                            .filter(
                                event ->
                                    event.getType() == RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED)
                            .map(event -> event.getSignalReceived().getSignal().getSignalId()))
                    .doesNotHaveDuplicates()
                    .containsAll(
                        delivered.entrySet().stream()
                            .filter(signal -> signal.getValue().equals(run))
                            .map(Map.Entry::getKey)
                            .toList()));
    assertThat(IntStream.range(0, 300).mapToObj(i -> "signal-" + i))
        .allMatch(delivered::containsKey);
  }
}
