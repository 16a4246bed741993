package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.testkit.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("fault")
@Tag("long")
class IdleIT {
  private static final int CLIENTS = 4;
  private static final int WAITS_EACH = 25;
  private static final int KEYS = 10;

  /** A multiple of the periods of background work, so the count does not depend on its start. */
  private static final Duration WINDOW = Duration.ofSeconds(10);

  @Test
  @DisplayName(
      "with 100 parked waits of each kind and nothing to do, at most one query a second [X6]")
  void idle() {
    try (var database = TestDatabase.create();
        var counter = new QueryCounter(database.url());
        var server =
            HapaxProcess.start(
                "serve", "--listen=127.0.0.1:0", "--database-url=" + counter.url())) {
      var target = server.awaitReady();
      var holder = Caller.to(target);
      IntStream.range(0, KEYS).forEach(i -> holder.acquire("key-" + i));
      var clients =
          Stream.generate(() -> holder.via(target))
              .limit(CLIENTS)
              .map(client -> Parked.on(client, WAITS_EACH, i -> "key-" + i % KEYS))
              .toList();
      var worker = new RunCaller(holder);
      worker.define("order", RunCaller.signal("approval", "go"));
      var run = worker.started("order");
      var polls =
          ConcurrentCalls.send(
              CLIENTS * WAITS_EACH,
              i ->
                  worker
                      .workers()
                      .pollTasks(
                          worker
                              .polling("worker-" + i)
                              .clearQueues()
                              .addQueues("queue-" + i)
                              .setWait(Caller.seconds(30))
                              .build()));
      var awaits =
          ConcurrentCalls.send(
              CLIENTS * WAITS_EACH, i -> worker.futures().awaitRun(worker.awaiting(run)));
      var module = new ClaimCaller(worker);
      module.declare(ClaimCaller.remote());
      var _ = module.apply(ClaimCaller.BILLING);
      var recoveries =
          ConcurrentCalls.send(
              CLIENTS * WAITS_EACH,
              i ->
                  module
                      .recoverers()
                      .pollRecoveries(
                          module.polling("worker-" + i).setWait(Caller.seconds(30)).build()));
      // what was to do is done
      Condition.await("a second of rest", () -> counter.isQuietFor(Duration.ofSeconds(1)));

      // one of them may have the first purge, which follows in ten minutes again
      var rates = List.of(excess(counter), excess(counter));
      assertThat(rates).anyMatch(excess -> excess <= 0);
      assertThat(clients).allMatch(Parked::allWait);
      assertThat(polls).noneMatch(Future::isDone);
      assertThat(awaits).noneMatch(Future::isDone);
      assertThat(recoveries).noneMatch(Future::isDone);
      clients.forEach(Parked::close);
      holder.close();
    }
  }

  /** By how much the queries of a while are more than one a second; at least one must be sent. */
  private static int excess(QueryCounter counter) {
    var start = System.nanoTime();
    var before = counter.queries();
    Condition.await("time passes", () -> elapsed(start).compareTo(WINDOW) >= 0);
    var queries = counter.queries() - before;
    // it does look whether its database is there
    assertThat(queries).isPositive();
    var time = elapsed(start);
    return queries - (int) time.toSeconds() - TestAccess.statements(time);
  }

  private static Duration elapsed(long startNanos) {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }
}
