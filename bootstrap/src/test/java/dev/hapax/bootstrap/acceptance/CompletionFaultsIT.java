package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import io.grpc.StatusRuntimeException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Applications pay and complete in one transaction while connections are cut and servers killed: a
 * payment is there exactly if its record is completed.
 */
@Tag("fault")
class CompletionFaultsIT {
  private static final int EACH = 200;
  private static final int PHASES = 3;

  private final Deployment deployment = Deployment.start();
  private final HapaxProcess first = deployment.server();
  private final HapaxProcess second = deployment.add();
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());
  private final List<ClaimCaller> servers = new CopyOnWriteArrayList<>(List.of(caller));
  private final Persistent<ClaimCaller> persistent = new Persistent<>(servers);
  private final SqlCaller sql = SqlCaller.to(deployment.database(), caller.runs());
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final PaymentLoad load = new PaymentLoad(sql, threads);
  private volatile boolean over;

  CompletionFaultsIT() {
    add(second);
  }

  private void add(HapaxProcess server) {
    servers.add(caller.via(server.awaitReady()));
  }

  @Test
  @Tag("D11")
  @Tag("D12")
  @DisplayName(
      "given connections that are cut, also in COMMIT, and servers that are killed, then a record"
          + " is completed exactly if the transaction committed")
  void killed() throws Exception {
    var records = ClaimedRecord.ofEachKind(caller, EACH);
    Collections.shuffle(records, new Random(1));
    var share = records.size() / PHASES;

    var reader = threads.submit(() -> read(records));
    var cutting = load.pay(records.subList(0, share));
    var cuts = cutUntil(cutting);
    assertThat(cuts).as("connections cut").isGreaterThan(PaymentLoad.CLIENTS);

    var killing = load.pay(records.subList(share, 2 * share));
    load.awaitEnded(share + share / 2);
    first.kill9();
    await(killing);
    add(deployment.add());
    over = true;
    reader.get();

    var alone = load.pay(records.subList(2 * share, records.size()));
    load.awaitEnded(2 * share + share / 2);
    second.kill9();
    deployment.killServers();
    await(alone);

    add(deployment.add());
    load.requireSame(records, servers.getLast());
  }

  /** Cuts connections in random ways, by the client or by the database; returns how often. */
  private int cutUntil(List<Future<?>> clients) throws ExecutionException, InterruptedException {
    var random = new Random(2);
    var cuts = 0;
    while (!clients.stream().allMatch(Future::isDone)) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(100)));
      if (random.nextInt(3) == 0) {
        cuts += deployment.database().killConnections();
      } else {
        for (var connection : load.open()) {
          abort(connection);
          cuts++;
        }
      }
    }
    await(clients);
    return cuts;
  }

  private static void abort(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(List<Future<?>> clients)
      throws ExecutionException, InterruptedException {
    for (var client : clients) {
      client.get();
    }
  }

  /** Reads and renews records all the time, as other callers do. */
  private void read(List<ClaimedRecord> records) {
    var random = new Random(3);
    while (!over) {
      var record = records.get(random.nextInt(records.size()));
      var isOver = load.isCommitted(record);
      try {
        var isCompleted =
            persistent.ask(
                random.nextInt(servers.size()),
                server -> !record.renew(server) && record.isCompleted(server));
        assertThat(isCompleted || !isOver).as("%s is completed", record).isTrue();
        assertThat(isCompleted && load.isRolledBack(record)).as("%s", record).isFalse();
      } catch (StatusRuntimeException e) {
        throw new AssertionError("reading " + record, e);
      }
    }
  }

  @AfterEach
  void close() {
    over = true;
    threads.shutdownNow();
    servers.forEach(ClaimCaller::close);
    sql.close();
    deployment.close();
  }
}
