package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads by way of two servers while a transaction completes the record. */
@Tag("fault")
@Tag("long")
class CompletionReadsIT {
  private static final int READERS = 4;
  private static final int EACH = 60;

  private final Deployment deployment = Deployment.start();
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());
  private final List<ClaimCaller> servers =
      List.of(caller, caller.via(deployment.add().awaitReady()));
  private final SqlCaller sql = SqlCaller.to(deployment.database(), caller.runs());
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger readBefore = new AtomicInteger();

  @AfterEach
  void close() {
    threads.shutdownNow();
    sql.close();
    servers.forEach(ClaimCaller::close);
    deployment.close();
  }

  @Test
  @Tag("D12")
  @DisplayName(
      "given readers of a record, then a read shows its completion if the commit has returned or"
          + " an earlier read has shown it")
  void linearizable() throws Exception {
    for (var record : ClaimedRecord.ofEachKind(caller, EACH)) {
      // set once the commit has returned, or a read has shown the completion
      var known = new AtomicBoolean();
      var reads = new AtomicInteger();
      var readers = new ArrayList<Future<?>>();
      for (var i = 0; i < READERS; i++) {
        var server = servers.get(i % servers.size());
        readers.add(threads.submit(() -> readUntilCompleted(record, server, known, reads)));
      }
      try (var connection = sql.begin()) {
        record.complete(sql, connection);
        Condition.await("they read", () -> reads.get() >= READERS);
        connection.commit();
        known.set(true);
      }
      for (var reader : readers) {
        reader.get();
      }
    }
    assertThat(readBefore.get()).as("reads before a commit").isGreaterThan(EACH);
  }

  private void readUntilCompleted(
      ClaimedRecord record, ClaimCaller server, AtomicBoolean known, AtomicInteger reads) {
    var isCompleted = false;
    // once more after it is known
    for (var isKnown = false; !isKnown; ) {
      isKnown = known.get();
      isCompleted = record.isCompleted(server);
      reads.incrementAndGet();
      assertThat(isCompleted || !isKnown).as("%s shows its completion", record).isTrue();
      if (isCompleted) {
        known.set(true);
      } else {
        readBefore.incrementAndGet();
      }
    }
  }
}
