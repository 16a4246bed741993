package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import io.grpc.StatusRuntimeException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
  private static final int CLIENTS = 3;
  private static final int EACH = 200;
  private static final int PHASES = 3;
  private static final String CLAIM_LOST = "HX002";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Deployment deployment = Deployment.start();
  private final HapaxProcess first = deployment.server();
  private final HapaxProcess second = deployment.add();
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());
  private final List<ClaimCaller> servers = new CopyOnWriteArrayList<>(List.of(caller));
  private final Persistent<ClaimCaller> persistent = new Persistent<>(servers);
  private final SqlCaller sql = SqlCaller.to(deployment.database(), caller.runs());
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private final Set<ClaimedRecord> committed = ConcurrentHashMap.newKeySet();
  private final Set<ClaimedRecord> rolledBack = ConcurrentHashMap.newKeySet();
  private final Set<ClaimedRecord> inDoubt = ConcurrentHashMap.newKeySet();
  private final List<Connection> open = new CopyOnWriteArrayList<>();
  private volatile boolean over;

  CompletionFaultsIT() {
    // a commit that takes a while can be hit
    deployment
        .database()
        .execute(
            """
            CREATE TABLE payment (record text);
            GRANT SELECT, INSERT ON payment TO PUBLIC;
            CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN PERFORM pg_sleep(random() * 0.005); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER slowly AFTER INSERT ON payment
              DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slowly()""");
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
    var cutting = pay(records.subList(0, share));
    var cuts = cutUntil(cutting);
    assertThat(cuts).as("connections cut").isGreaterThan(CLIENTS);

    var killing = pay(records.subList(share, 2 * share));
    awaitEnded(share + share / 2);
    first.kill9();
    await(killing);
    add(deployment.add());
    over = true;
    reader.get();

    var alone = pay(records.subList(2 * share, records.size()));
    awaitEnded(2 * share + share / 2);
    second.kill9();
    deployment.killServers();
    await(alone);

    add(deployment.add());
    requireSame(records, servers.getLast());
  }

  private List<Future<?>> pay(List<ClaimedRecord> records) {
    var clients = new ArrayList<Future<?>>();
    for (var i = 0; i < CLIENTS; i++) {
      var client = i;
      clients.add(threads.submit(() -> pay(records, client)));
    }
    return clients;
  }

  private void pay(List<ClaimedRecord> records, int client) {
    var random = new Random(client);
    for (var i = client; i < records.size(); i += CLIENTS) {
      var record = records.get(i);
      while (!isEnded(record)) {
        try (var connection = sql.begin()) {
          open.add(connection);
          attempt(record, connection, random.nextInt(3) == 0);
          open.remove(connection);
        } catch (SQLException e) {
          requireUnknown(record, e);
        }
      }
    }
  }

  private boolean isEnded(ClaimedRecord record) {
    return committed.contains(record) || rolledBack.contains(record);
  }

  private void attempt(ClaimedRecord record, Connection connection, boolean rollsBack)
      throws SQLException {
    try (var statement = connection.prepareStatement("INSERT INTO payment VALUES (?)")) {
      statement.setString(1, record.name());
      assertThat(statement.executeUpdate()).isOne();
    }
    record.complete(sql, connection);
    if (rollsBack) {
      connection.rollback();
      rolledBack.add(record);
    } else {
      inDoubt.add(record);
      connection.commit();
      committed.add(record);
    }
  }

  /**
   * An attempt before, whose COMMIT was not answered, has completed it; or the connection is cut.
   */
  private void requireUnknown(ClaimedRecord record, SQLException e) {
    if (CLAIM_LOST.equals(e.getSQLState())) {
      assertThat(inDoubt).contains(record);
      committed.add(record);
    }
  }

  private void awaitEnded(int count) {
    Condition.await("some end", PATIENCE, () -> committed.size() + rolledBack.size() >= count);
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
        for (var connection : open) {
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
      var isOver = isEnded(record) && !rolledBack.contains(record);
      try {
        var isCompleted =
            persistent.ask(
                random.nextInt(servers.size()),
                server -> !record.renew(server) && record.isCompleted(server));
        assertThat(isCompleted || !isOver).as("%s is completed", record).isTrue();
        assertThat(isCompleted && rolledBack.contains(record)).as("%s", record).isFalse();
      } catch (StatusRuntimeException e) {
        throw new AssertionError("reading " + record, e);
      }
    }
  }

  private void requireSame(List<ClaimedRecord> records, ClaimCaller server) {
    Condition.await(
        "all completions are taken", PATIENCE, () -> count("SELECT FROM hapax.inbox").equals("0"));
    assertThat(
            count(
                """
                SELECT FROM hapax.entity WHERE pending_intent IS NOT NULL
                UNION ALL SELECT FROM hapax.run WHERE pending_intent IS NOT NULL
                UNION ALL SELECT FROM hapax.operation WHERE pending_intent IS NOT NULL"""))
        .isEqualTo("0");
    assertThat(count("SELECT FROM hapax.intent_outcome WHERE reason IS NOT NULL")).isEqualTo("0");
    var paid =
        List.of(
            deployment.database().query("SELECT string_agg(record, ' ') FROM payment").split(" "));
    var completed =
        records.stream().filter(record -> record.isCompleted(server)).map(ClaimedRecord::name);
    assertThat(paid).containsExactlyInAnyOrderElementsOf(completed.toList());
    assertThat(paid)
        .containsExactlyInAnyOrderElementsOf(committed.stream().map(ClaimedRecord::name).toList());
    assertThat(committed)
        .hasSizeGreaterThan(records.size() / 3)
        .doesNotContainAnyElementsOf(rolledBack);
  }

  private String count(String rows) {
    return deployment.database().query("SELECT count(*) FROM (%s) rows".formatted(rows));
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
