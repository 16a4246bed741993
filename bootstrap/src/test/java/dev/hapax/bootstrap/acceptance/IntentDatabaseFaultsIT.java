package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.DataDir;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.RunEventType;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PostgreSQL fails while applications post intents and a server takes them. */
@Tag("fault")
class IntentDatabaseFaultsIT {
  private static final int CLIENTS = 3;
  private static final int KILLS = 3;

  /** Commits between two faults. */
  private static final int BETWEEN = 60;

  /** The run has room for them. */
  private static final int MOST_SIGNALS = 900;

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  // the connection is lost or refused, or PostgreSQL ends it
  private static final String CUT = "08...|57P..";

  private final Set<String> committed = ConcurrentHashMap.newKeySet();
  private final Set<String> rolledBack = ConcurrentHashMap.newKeySet();
  private final AtomicInteger cuts = new AtomicInteger();
  private final AtomicInteger signals = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();

  @Test
  @Tag("D5")
  @DisplayName(
      "given a PostgreSQL that is killed, and ends connections, again and again, then each intent"
          + " is taken once if its transaction committed, and else never")
  void killed(@TempDir Path folder) throws Exception {
    try (var data = new DataDir(folder.resolve("data"));
        var server =
            HapaxProcess.start("serve", "--listen=127.0.0.1:0", "--data-dir=" + data.path());
        var runs = RunCaller.to(server.awaitReady());
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      runs.define("order", RunCaller.timer("pause", Caller.seconds(3_600)));
      runs.define("approval", RunCaller.signal("approved", "approval"));
      var signaled = runs.started("approval");
      var url = new AtomicReference<>(data.url().orElseThrow());
      var sql = SqlCaller.to(url::get, runs);
      sql.administer(
          "CREATE TABLE public.posted (ticket text); GRANT INSERT ON public.posted TO PUBLIC");

      var clients = post(sql, signaled, threads);
      for (var kill = 1; kill <= KILLS; kill++) {
        awaitMore(clients);
        sql.administer(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
        awaitMore(clients);
        data.killPostmaster();
        Condition.await("PostgreSQL is back", PATIENCE, data::isServing);
        url.set(data.url().orElseThrow());
      }
      awaitMore(clients);
      over.set(true);
      for (var client : clients) {
        client.get();
      }

      // no call nudges the server
      Condition.await(
          "all are taken", PATIENCE, () -> tickets(url, "id FROM hapax.inbox").isEmpty());
      var posted = tickets(url, "ticket FROM public.posted");
      assertThat(posted).containsAll(committed).doesNotContainAnyElementsOf(rolledBack);
      assertThat(
              tickets(
                  url, "hapax.print_id('run', id) FROM hapax.run WHERE definition_name = 'order'"))
          .containsExactlyInAnyOrderElementsOf(only("run_", posted));
      assertThat(received(runs, signaled))
          .containsExactlyInAnyOrderElementsOf(only("intent_", posted));
      assertThat(tickets(url, "id FROM hapax.intent_outcome WHERE reason IS NULL"))
          .hasSameSizeAs(posted);
      // or nothing was tried
      assertThat(only("intent_", posted)).hasSizeGreaterThan(KILLS);
      assertThat(rolledBack).hasSizeGreaterThan(KILLS);
      assertThat(cuts).hasValueGreaterThanOrEqualTo(2 * KILLS);
    }
  }

  private List<Future<?>> post(SqlCaller sql, String signaled, ExecutorService threads) {
    var clients = new ArrayList<Future<?>>();
    for (var i = 0; i < CLIENTS; i++) {
      var random = new Random(i);
      clients.add(threads.submit(() -> post(sql, signaled, random)));
    }
    return clients;
  }

  private void post(SqlCaller sql, String signaled, Random random) {
    while (!over.get()) {
      try (var connection = sql.begin()) {
        while (!over.get()) {
          transact(sql, connection, signaled, random);
        }
      } catch (SQLException e) {
        assertThat(e.getSQLState()).as(e.getMessage()).matches(CUT);
        cuts.incrementAndGet();
      }
    }
  }

  private void transact(SqlCaller sql, Connection connection, String signaled, Random random)
      throws SQLException {
    var tickets = new ArrayList<String>();
    tickets.add(sql.post(connection, "start_run", "'order'"));
    if (random.nextBoolean() && signals.incrementAndGet() <= MOST_SIGNALS) {
      tickets.add(sql.post(connection, "signal_run", "'%s', 'other'".formatted(signaled)));
    }
    try (var statement = connection.prepareStatement("INSERT INTO public.posted VALUES (?)")) {
      for (var ticket : tickets) {
        statement.setString(1, ticket);
        assertThat(statement.executeUpdate()).isOne();
      }
    }
    if (random.nextInt(3) == 0) {
      // not even a ROLLBACK that is lost commits
      rolledBack.addAll(tickets);
      connection.rollback();
    } else {
      connection.commit();
      committed.addAll(tickets);
    }
  }

  /** Waits until more are committed, or a client has failed. */
  private void awaitMore(List<Future<?>> clients) {
    var enough = committed.size() + BETWEEN;
    Condition.await(
        "more are committed",
        PATIENCE,
        () -> committed.size() >= enough || clients.stream().anyMatch(Future::isDone));
    assertThat(clients).noneMatch(Future::isDone);
  }

  private static List<String> received(RunCaller runs, String run) {
    // connections of the server may be lost still
    return new Persistent<>(List.of(runs))
        .ask(0, caller -> caller.events(run)).stream()
            .filter(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED)
            .map(event -> event.getSignalReceived().getSignal().getSignalId())
            .toList();
  }

  private static Set<String> only(String prefix, Set<String> tickets) {
    var only = new HashSet<>(tickets);
    only.removeIf(ticket -> !ticket.startsWith(prefix));
    return only;
  }

  private static Set<String> tickets(AtomicReference<String> url, String rows) {
    try (var connection = DriverManager.getConnection(url.get());
        var statement = connection.createStatement();
        var found = statement.executeQuery("SELECT " + rows)) {
      var tickets = new HashSet<String>();
      while (found.next()) {
        tickets.add(found.getString(1));
      }
      return tickets;
    } catch (SQLException e) {
      throw new IllegalStateException(rows, e);
    }
  }
}
