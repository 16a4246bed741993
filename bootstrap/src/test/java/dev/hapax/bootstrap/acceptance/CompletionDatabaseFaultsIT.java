package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.DataDir;
import dev.hapax.bootstrap.process.HapaxProcess;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PostgreSQL is killed while applications pay and complete in one transaction. */
@Tag("fault")
class CompletionDatabaseFaultsIT {
  private static final int EACH = 100;
  private static final int KILLS = 3;

  @Test
  @Tag("D11")
  @DisplayName(
      "given a PostgreSQL that is killed again and again, then a record is completed exactly if the"
          + " transaction committed")
  void killed(@TempDir Path folder) throws Exception {
    try (var data = new DataDir(folder.resolve("data"));
        var server =
            HapaxProcess.start("serve", "--listen=127.0.0.1:0", "--data-dir=" + data.path());
        var caller = ClaimCaller.to(server.awaitReady());
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var url = new AtomicReference<>(data.url().orElseThrow());
      var sql = SqlCaller.to(url::get, caller.runs());
      var records = ClaimedRecord.ofEachKind(caller, EACH);
      Collections.shuffle(records, new Random(1));
      var load = new PaymentLoad(sql, threads);

      var clients = load.pay(records);
      for (var kill = 1; kill <= KILLS; kill++) {
        renewAll(records, caller);
        load.awaitEnded(records.size() * kill / (KILLS + 1));
        var killed = data.postmaster();
        data.killPostmaster();
        Condition.await("PostgreSQL is back", PaymentLoad.PATIENCE, data::isServing);
        assertThat(data.postmaster()).isNotEqualTo(killed);
        url.set(data.url().orElseThrow());
      }
      for (var client : clients) {
        client.get();
      }

      // the server may notice the last start later than the clients
      renewAll(records, caller);
      load.requireSame(records, caller);
    }
  }

  private static void renewAll(List<ClaimedRecord> records, ClaimCaller caller) {
    var persistent = new Persistent<>(List.of(caller));
    for (var record : records) {
      var _ = persistent.ask(0, record::renew);
    }
  }
}
