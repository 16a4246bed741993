package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.DataDir;
import dev.hapax.bootstrap.process.FreePort;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationState;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("secured")
class RestartIT {
  private static final int KEYS = 250;
  private static final int RIVALS = 4;
  @TempDir private Path folder = Path.of("");

  @AfterEach
  void endPostgres() throws IOException {
    new DataDir(folder).close();
  }

  @Test
  @DisplayName(
      "kill -9 of the server in the midst of 1,000 concurrent calls loses nothing " + "[X2]")
  void survivesKills() throws IOException {
    run(3);
  }

  @Test
  @Tag("soak")
  @DisplayName("kill -9 of the server, again and again [X2]")
  void survivesManyKills() throws IOException {
    run(30);
  }

  private void run(int rounds) throws IOException {
    var listen = "127.0.0.1:" + FreePort.next();
    var history = new History();
    var random = new Random(rounds);
    var server = serve(listen);
    server.awaitReady();
    var caller = Caller.to(listen);
    var callers = Stream.generate(() -> caller.via(listen)).limit(4).toList();
    var rivals = new Rivals(callers, history);
    try (caller) {
      for (var round = 0; round < rounds; round++) {
        var prefix = "round-" + round + "-";
        var keys = IntStream.range(0, KEYS).mapToObj(i -> prefix + i).toList();
        var before = history.accepted();
        var clients = rivals.start(keys, RIVALS);

        var enough = before + 1 + random.nextInt(KEYS / 2);
        Condition.await(
            "some are acknowledged", Condition.MUCH_WORK, () -> history.accepted() >= enough);
        server.kill9();
        assertThat(history.accepted()).isLessThan(before + KEYS);
        server = serve(listen);
        server.awaitReady();
        callers.stream().map(Caller::channel).forEach(ManagedChannel::resetConnectBackoff);
        caller.channel().resetConnectBackoff();
        Rivals.join(clients);
      }

      assertThat(history.violations()).isEmpty();
      assertThat(history.keys()).hasSize(rounds * KEYS);
      assertThat(history.timesUnavailable()).isGreaterThan(rounds * KEYS / 2);
      assertThat(history.refusals()).isGreaterThan(rounds);
      assertThat(history.takeOvers()).isGreaterThan(rounds);
      assertStored(caller, history);
    } finally {
      callers.forEach(Caller::close);
      server.close();
    }
  }

  /** Each key is there once, with exactly what was acknowledged. */
  private static void assertStored(Caller caller, History history) {
    var stored = all(caller);
    assertThat(stored)
        .extracting(Operation::getRequestId)
        .containsExactlyInAnyOrderElementsOf(history.keys());
    assertThat(stored)
        .allMatch(operation -> operation.getState() == OperationState.OPERATION_STATE_COMPLETED);
    for (var key : history.keys()) {
      assertThat(caller.get(key).getResult().getJson()).isEqualTo(history.result(key));
    }
  }

  private static List<Operation> all(Caller caller) {
    var all = new ArrayList<Operation>();
    var token = "";
    do {
      var page =
          caller.calls().listOperations(caller.list().setPageSize(500).setPageToken(token).build());
      all.addAll(page.getOperationsList());
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return all;
  }

  private HapaxProcess serve(String listen) {
    return HapaxProcess.start("serve", "--listen=" + listen, "--data-dir=" + folder);
  }
}
