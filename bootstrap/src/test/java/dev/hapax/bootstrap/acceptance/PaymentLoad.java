package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.Predicate;

/**
 * Clients that pay for records and complete them in one transaction, until each transaction has
 * ended; some roll back.
 */
final class PaymentLoad {
  static final int CLIENTS = 3;
  static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String CLAIM_LOST = "HX002";
  // the connection is lost, or PostgreSQL ends it
  private static final String CUT = "08...|57P..";

  private static final Predicate<Future<?>> IS_FAILED =
      client -> client.state() == Future.State.FAILED;

  private final Set<ClaimedRecord> committed = ConcurrentHashMap.newKeySet();
  private final Set<ClaimedRecord> rolledBack = ConcurrentHashMap.newKeySet();
  private final Set<ClaimedRecord> inDoubt = ConcurrentHashMap.newKeySet();
  private final List<Connection> open = new CopyOnWriteArrayList<>();
  private final List<Future<?>> paying = new CopyOnWriteArrayList<>();
  private final SqlCaller sql;
  private final ExecutorService threads;

  PaymentLoad(SqlCaller sql, ExecutorService threads) {
    this.sql = sql;
    this.threads = threads;
    // a commit that takes a while can be hit
    sql.administer(
        """
        CREATE TABLE public.payment (record text);
        GRANT SELECT, INSERT ON public.payment TO PUBLIC;
        CREATE FUNCTION public.slowly() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_sleep(random() * 0.005); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER slowly AFTER INSERT ON public.payment
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.slowly()""");
  }

  /** Starts the clients; each ends when all its records have ended. */
  List<Future<?>> pay(List<ClaimedRecord> records) {
    var clients = new ArrayList<Future<?>>();
    for (var i = 0; i < CLIENTS; i++) {
      var client = i;
      clients.add(threads.submit(() -> pay(records, client)));
    }
    paying.addAll(clients);
    return clients;
  }

  /** The connections of transactions that have begun. */
  List<Connection> open() {
    return List.copyOf(open);
  }

  boolean isCommitted(ClaimedRecord record) {
    return committed.contains(record);
  }

  boolean isRolledBack(ClaimedRecord record) {
    return rolledBack.contains(record);
  }

  /** Waits until so many transactions have ended, or a client has failed. */
  void awaitEnded(int count) {
    Condition.await(
        "some end",
        PATIENCE,
        () -> committed.size() + rolledBack.size() >= count || paying.stream().anyMatch(IS_FAILED));
    assertThat(paying).noneMatch(IS_FAILED);
  }

  /** Requires a payment for exactly the completed records, and nothing left to be taken. */
  void requireSame(List<ClaimedRecord> records, ClaimCaller server) {
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
    var paid = List.of(query("SELECT string_agg(record, ' ') FROM public.payment").split(" "));
    var completed =
        records.stream().filter(record -> record.isCompleted(server)).map(ClaimedRecord::name);
    assertThat(paid).containsExactlyInAnyOrderElementsOf(completed.toList());
    assertThat(paid)
        .containsExactlyInAnyOrderElementsOf(committed.stream().map(ClaimedRecord::name).toList());
    assertThat(committed)
        .hasSizeGreaterThan(records.size() / 3)
        .doesNotContainAnyElementsOf(rolledBack);
  }

  private void pay(List<ClaimedRecord> records, int client) {
    var random = new Random(client);
    for (var i = client; i < records.size(); i += CLIENTS) {
      var record = records.get(i);
      while (!committed.contains(record) && !rolledBack.contains(record)) {
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

  private void attempt(ClaimedRecord record, Connection connection, boolean rollsBack)
      throws SQLException {
    try (var statement = connection.prepareStatement("INSERT INTO public.payment VALUES (?)")) {
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

  /** An attempt whose COMMIT was not answered has completed it; or the connection is cut. */
  private void requireUnknown(ClaimedRecord record, SQLException e) {
    if (CLAIM_LOST.equals(e.getSQLState())) {
      assertThat(inDoubt).contains(record);
      committed.add(record);
    } else {
      assertThat(e.getSQLState()).as(e.getMessage()).matches(CUT);
    }
  }

  private String count(String rows) {
    return query("SELECT count(*) FROM (%s) rows".formatted(rows));
  }

  private String query(String query) {
    try (var connection = DriverManager.getConnection(sql.administrator().get());
        var statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      rows.next();
      return String.valueOf(rows.getString(1));
    } catch (SQLException e) {
      throw new IllegalStateException(query, e);
    }
  }
}
