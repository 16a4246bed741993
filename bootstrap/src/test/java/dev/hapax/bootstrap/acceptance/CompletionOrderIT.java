package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import dev.hapax.v1.CancelRunRequest;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Applications complete several records at once, while others renew, sweep and cancel them. */
@Tag("fault")
@Tag("long")
class CompletionOrderIT {
  private static final int CLIENTS = 2;
  private static final int ROUNDS = 10;

  /** The arrays of a round, each rolled back. */
  private static final int ARRAYS = 50;

  private static final String CLAIM_LOST = "HX002";

  private final Deployment deployment = Deployment.start();
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());
  private final ClaimCaller other = caller.via(deployment.add().awaitReady());
  private final SqlCaller sql = SqlCaller.to(deployment.database(), caller.runs());
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger completions = new AtomicInteger();
  private final AtomicInteger renewals = new AtomicInteger();

  @AfterEach
  void close() {
    threads.shutdownNow();
    sql.close();
    other.close();
    caller.close();
    deployment.close();
  }

  @Test
  @Tag("D18")
  @DisplayName(
      "given 10,000 arrays of completions against renewals, sweeps and cancellations of the same"
          + " records, then none of them deadlock")
  void arrays() throws Exception {
    run(20);
  }

  @Test
  @Tag("D18")
  @Tag("soak")
  @DisplayName(
      "given 100,000 arrays of completions against renewals, sweeps and cancellations of the same"
          + " records, then none of them deadlock")
  void manyArrays() throws Exception {
    run(200);
  }

  private void run(int generations) throws Exception {
    // found before a lock timeout of the server ends it
    deployment
        .database()
        .execute(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = %L',"
                + " current_database(), '10ms'); END $$");
    var before = deadlocks();
    for (var generation = 0; generation < generations; generation++) {
      race(records(generation), generation);
    }
    assertThat(deadlocks()).isEqualTo(before);
    assertThat(completions).hasValue(generations * ROUNDS * ARRAYS);
    assertThat(renewals).hasValueGreaterThan(generations);
  }

  private List<ClaimedRecord> records(int generation) {
    var records = ClaimedRecord.tasks(caller, 2);
    for (var i = 0; i < 2; i++) {
      var name = generation + "-" + i;
      records.add(ClaimedRecord.action(caller, "i-" + name));
      records.add(ClaimedRecord.operation(caller, "charge-" + name));
    }
    return records;
  }

  private void race(List<ClaimedRecord> records, int generation) throws Exception {
    var over = new AtomicBoolean();
    var renewing =
        List.<Future<?>>of(
            threads.submit(() -> renew(records, caller, over)),
            threads.submit(() -> renew(records, other, over)));
    var clients = new ArrayList<Future<?>>();
    for (var i = 0; i < CLIENTS; i++) {
      var random = new Random((long) generation * CLIENTS + i);
      clients.add(
          threads.submit(
              () -> {
                for (var round = 0; round < ROUNDS / CLIENTS; round++) {
                  completeAndUndo(records, random);
                }
                return null;
              }));
    }
    await(clients);
    over.set(true);
    await(renewing);
    var last =
        threads.submit(
            () -> {
              complete(records, new Random(generation));
              return null;
            });
    for (var record : records) {
      if (record.kind() == ClaimedRecord.Kind.TASK) {
        cancel(record);
      }
    }
    last.get();
  }

  private static void await(List<Future<?>> all) throws Exception {
    for (var each : all) {
      each.get();
    }
  }

  /** Completes arrays, and rolls each back, which releases its locks. */
  private void completeAndUndo(List<ClaimedRecord> all, Random random) throws SQLException {
    var arrays =
        Stream.generate(() -> array(all, random)).limit(ARRAYS).collect(Collectors.joining(", "));
    try (var connection = sql.connect();
        var statement = connection.createStatement()) {
      statement.execute(
          """
          DO $$
          DECLARE
            completions text;
          BEGIN
            FOREACH completions IN ARRAY ARRAY[%2$s] LOOP
              BEGIN
                PERFORM hapax.complete('%1$s', completions::jsonb);
                RAISE EXCEPTION USING ERRCODE = 'HX999';
              EXCEPTION WHEN SQLSTATE 'HX999' THEN
              END;
            END LOOP;
          END
          $$"""
              .formatted(caller.workspace(), arrays));
      completions.addAndGet(ARRAYS);
    }
  }

  private void complete(List<ClaimedRecord> all, Random random) throws SQLException {
    try (var connection = sql.connect()) {
      var _ = sql.post(connection, "complete", array(all, random));
    } catch (SQLException e) {
      assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo(CLAIM_LOST);
    }
  }

  /** Some of the records in any order. */
  private static String array(List<ClaimedRecord> all, Random random) {
    var some = new ArrayList<>(all);
    Collections.shuffle(some, random);
    return some.subList(0, 3 + random.nextInt(some.size() - 2)).stream()
        .map(
            record ->
                String.format(
                    Locale.ROOT,
                    "{\"claim_id\": \"%s\", \"fence\": %d}",
                    record.claim().getId(),
                    record.claim().getFence()))
        .collect(Collectors.joining(", ", "'[", "]'"));
  }

  /** Renews all at once, so that a server locks them in one batch. */
  private void renew(List<ClaimedRecord> records, ClaimCaller server, AtomicBoolean over) {
    while (!over.get()) {
      var calls = new ArrayList<ListenableFuture<?>>();
      for (var record : records) {
        calls.add(record.renewing(server));
      }
      var _ = server.sweep();
      Futures.getUnchecked(Futures.allAsList(calls));
      renewals.addAndGet(calls.size());
    }
  }

  private void cancel(ClaimedRecord task) {
    var request =
        CancelRunRequest.newBuilder().setWorkspace(caller.workspace()).setRunId(task.name());
    try {
      var _ = caller.runs().runs().cancelRun(request.build());
    } catch (StatusRuntimeException e) {
      // it is completed
      assertThat(e.getStatus().getCode()).isEqualTo(Code.FAILED_PRECONDITION);
    }
  }

  /** Sessions report what they counted when they end. */
  private String deadlocks() {
    var _ = deployment.database().killConnections();
    return deployment
        .database()
        .query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  }
}
