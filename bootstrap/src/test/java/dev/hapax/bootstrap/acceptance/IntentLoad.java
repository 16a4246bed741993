package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.RunEventType;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Applications that post intents in transactions, some of which roll back. */
final class IntentLoad {
  private static final int CLIENTS = 3;

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
  private final RunCaller runs;
  private final SqlCaller sql;
  private final String signaled;
  private final List<Future<?>> clients = new ArrayList<>();

  private IntentLoad(RunCaller runs, SqlCaller sql) {
    this.runs = runs;
    this.sql = sql;
    runs.define("order", RunCaller.timer("pause", Caller.seconds(3_600)));
    runs.define("approval", RunCaller.signal("approved", "approval"));
    signaled = runs.started("approval");
    sql.administer(
        "CREATE TABLE public.posted (ticket text); GRANT INSERT ON public.posted TO PUBLIC");
  }

  /** Clients that post until the load ends. */
  static IntentLoad start(RunCaller runs, SqlCaller sql, ExecutorService threads) {
    var load = new IntentLoad(runs, sql);
    for (var i = 0; i < CLIENTS; i++) {
      var random = new Random(i);
      load.clients.add(threads.submit(() -> load.post(random)));
    }
    return load;
  }

  private void post(Random random) {
    while (!over.get()) {
      try (var connection = sql.begin()) {
        while (!over.get()) {
          transact(connection, random);
        }
      } catch (SQLException e) {
        assertThat(e.getSQLState()).as(e.getMessage()).matches(CUT);
        cuts.incrementAndGet();
      }
    }
  }

  private void transact(Connection connection, Random random) throws SQLException {
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
  void awaitMore() {
    var enough = committed.size() + BETWEEN;
    Condition.await(
        "more are committed",
        PATIENCE,
        () -> committed.size() >= enough || clients.stream().anyMatch(Future::isDone));
    assertThat(clients).noneMatch(Future::isDone);
  }

  /** Ends the connections of all, clients and server. */
  void terminate() {
    sql.administer(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
  }

  /**
   * Ends the clients, and checks that each intent was taken once if its transaction committed, and
   * else never.
   */
  void finish(int kills) throws ExecutionException, InterruptedException {
    awaitMore();
    over.set(true);
    for (var client : clients) {
      client.get();
    }
    // no call nudges the server
    Condition.await("all are taken", PATIENCE, () -> tickets("id FROM hapax.inbox").isEmpty());
    var posted = tickets("ticket FROM public.posted");
    assertThat(posted).containsAll(committed).doesNotContainAnyElementsOf(rolledBack);
    assertThat(tickets("hapax.print_id('run', id) FROM hapax.run WHERE definition_name = 'order'"))
        .containsExactlyInAnyOrderElementsOf(only("run_", posted));
    assertThat(received()).containsExactlyInAnyOrderElementsOf(only("intent_", posted));
    assertThat(tickets("id FROM hapax.intent_outcome WHERE reason IS NULL")).hasSameSizeAs(posted);
    // or nothing was tried
    assertThat(only("intent_", posted)).hasSizeGreaterThan(kills);
    assertThat(rolledBack).hasSizeGreaterThan(kills);
    assertThat(cuts).hasValueGreaterThanOrEqualTo(2 * kills);
  }

  private List<String> received() {
    // connections of the server may be lost still
    return new Persistent<>(List.of(runs))
        .ask(0, caller -> caller.events(signaled)).stream()
            .filter(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED)
            .map(event -> event.getSignalReceived().getSignal().getSignalId())
            .toList();
  }

  private static Set<String> only(String prefix, Set<String> tickets) {
    var only = new HashSet<>(tickets);
    only.removeIf(ticket -> !ticket.startsWith(prefix));
    return only;
  }

  private Set<String> tickets(String rows) {
    try (var connection = DriverManager.getConnection(sql.administrator().get());
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
