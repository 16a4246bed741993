package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.DataDir;
import dev.hapax.bootstrap.process.HapaxProcess;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** PostgreSQL is killed, and started again by its server, while applications work. */
@Tag("fault")
@Tag("long")
class DatabaseKillIT {
  private static final int KILLS = 3;
  private static final int RUNS = 200;
  private static final int RECORDS_OF_EACH_KIND = 100;

  enum Load {
    RUNS_AND_TASKS("runs end once"),
    COMPLETIONS("a record is completed exactly if the transaction committed"),
    INTENTS("each intent is taken once if its transaction committed, and else never");

    private final String outcome;

    Load(String outcome) {
      this.outcome = outcome;
    }

    Work start(SqlCaller sql, ClaimCaller caller, ExecutorService threads) {
      return switch (this) {
        case RUNS_AND_TASKS -> {
          var load = RunLoad.start(RUNS, caller.runs());
          yield new Work(
              kill -> {
                Condition.await(
                    "some are done",
                    Condition.MUCH_WORK,
                    () -> load.completed() >= kill * RUNS / 4);
                assertThat(load.completed()).isLessThan(2 * RUNS);
              },
              // callers may notice nothing: the server holds most commands until PostgreSQL is back
              load::finish);
        }
        case COMPLETIONS -> {
          var records = ClaimedRecord.ofEachKind(caller, RECORDS_OF_EACH_KIND);
          Collections.shuffle(records, new Random(1));
          var load = new PaymentLoad(sql, threads);
          var clients = load.pay(records);
          yield new Work(
              kill -> {
                renewAll(records, caller);
                load.awaitEnded(records.size() * kill / (KILLS + 1));
              },
              () -> {
                for (var client : clients) {
                  client.get();
                }
                // the server may notice the last start later than the clients
                renewAll(records, caller);
                load.requireSame(records, caller);
              });
        }
        case INTENTS -> {
          var load = IntentLoad.start(caller.runs(), sql, threads);
          yield new Work(
              _ -> {
                load.awaitMore();
                load.terminate();
                load.awaitMore();
              },
              () -> load.finish(KILLS));
        }
      };
    }

    @Override
    public String toString() {
      return outcome;
    }
  }

  /**
   * What applications do meanwhile.
   *
   * @param awaitMore waits until enough was done for a kill
   * @param finish waits until all is done, and checks it
   */
  record Work(IntConsumer awaitMore, Executable finish) {}

  private static void renewAll(List<ClaimedRecord> records, ClaimCaller caller) {
    var persistent = new Persistent<>(List.of(caller));
    for (var record : records) {
      var _ = persistent.ask(0, record::renew);
    }
  }

  @ParameterizedTest(name = "given a PostgreSQL that is killed again and again, then {0} [X3, R12]")
  @EnumSource
  @Tag("D5")
  @Tag("D11")
  void killed(Load load, @TempDir Path folder) throws Throwable {
    try (var data = new DataDir(folder.resolve("data"));
        var server =
            HapaxProcess.start("serve", "--listen=127.0.0.1:0", "--data-dir=" + data.path());
        var caller = ClaimCaller.to(server.awaitReady());
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var url = new AtomicReference<>(data.url().orElseThrow());
      var work = load.start(SqlCaller.to(url::get, caller.runs()), caller, threads);
      for (var kill = 1; kill <= KILLS; kill++) {
        work.awaitMore().accept(kill);
        var killed = data.postmaster();
        data.killPostmaster();
        Condition.await("PostgreSQL is back", PaymentLoad.PATIENCE, data::isServing);
        assertThat(data.postmaster()).isPresent().isNotEqualTo(killed);
        url.set(data.url().orElseThrow());
      }
      work.finish().execute();
      assertThat(server.isAlive()).isTrue();
    }
  }
}
