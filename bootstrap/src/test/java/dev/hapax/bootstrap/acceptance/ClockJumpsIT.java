package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.Requirement;
import dev.hapax.testkit.postgres.FakedClockDatabase;
import dev.hapax.v1.RunStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clock of PostgreSQL jumps, as docs/runbooks/clock.md says. */
@Tag("nightly")
@Tag("public-reports-F4")
class ClockJumpsIT {
  private static final Duration HOUR = Duration.ofHours(1);

  /** What takes as long as usual on a busy machine, and not an hour. */
  private static final Duration SOON = Duration.ofSeconds(30);

  /** A server on a database with a clock that a test sets. */
  private record Setup(
      FakedClockDatabase database, HapaxProcess server, String target, ClaimCaller caller)
      implements AutoCloseable {
    static Setup in(Path folder) throws Exception {
      var library = FakedClockDatabase.library();
      Requirement.FAKETIME.check(
          library.isPresent(),
          "no libfaketime is in /usr/lib/*/faketime, and the tests of clocks that jump need it"
              + " (Debian: apt-get install libfaketime)");
      var database = FakedClockDatabase.start(library.orElseThrow(), folder);
      var server =
          HapaxProcess.start(
              "serve",
              "--listen=127.0.0.1:0",
              "--metrics-listen=127.0.0.1:0",
              "--database-url=" + database.url());
      var target = server.awaitReady();
      return new Setup(database, server, target, ClaimCaller.to(target));
    }

    Caller operations() {
      return caller.runs().caller();
    }

    Probe probe() {
      return Probe.of(server);
    }

    /** Sets the clock, and waits until the server has logged and exported the jump. */
    void jump(Duration by, String logged) throws Exception {
      var jumps = probe().metric("hapax_database_clock_jumps_total");
      database.set(by);
      Condition.await(
          "the log has: " + logged,
          () -> server.errors().stream().anyMatch(line -> line.contains(logged)));
      assertThat(probe().metric("hapax_database_clock_jumps_total")).isEqualTo(jumps + 1);
      assertThat(probe().metric("hapax_database_clock_offset_seconds"))
          .isBetween(by.toSeconds() - 5.0, by.toSeconds() + 5.0);
    }

    @Override
    public void close() {
      caller.close();
      server.close();
      database.close();
    }
  }

  @Test
  @DisplayName(
      "given a clock that goes forward by an hour under load, then leases end early, the server"
          + " continues, and each key is completed once")
  void forward(@TempDir Path folder) throws Exception {
    try (var setup = Setup.in(folder);
        var second = setup.operations().via(setup.target())) {
      var history = new History();
      var rivals = new Rivals(List.of(setup.operations(), second), history);
      var load = rivals.start(keys("before"), 4);
      var caller = setup.operations();
      var held = caller.acquire(caller.begin("held").setLease(Caller.seconds(600))).getClaim();
      Condition.await("some are done", () -> history.accepted() > 10);

      setup.jump(HOUR, "the clock of the database went forward by 3600");

      var next = caller.acquire("held");
      assertThat(next.getFence()).isGreaterThan(held.getFence());
      assertThat(caller.complete(held, Caller.json("1")).hasClaimLost()).isTrue();
      assertThat(caller.complete(next, Caller.json("2")).hasCompleted()).isTrue();
      Rivals.join(load);
      rivals.compete(keys("after"), 4);
      assertThat(history.violations()).isEmpty();
      assertThat(history.takeOvers()).isPositive();
      assertThat(setup.probe().get("/readyz").status()).isEqualTo(200);
    }
  }

  @Test
  @DisplayName(
      "given a clock that goes back by an hour, then a lease is granted to no other, and new leases,"
          + " timers and janitors take no longer than usual")
  void back(@TempDir Path folder) throws Exception {
    try (var setup = Setup.in(folder)) {
      var operations = setup.operations();
      var entities = setup.caller();
      var runs = entities.runs();
      runs.define("pause", RunCaller.timer("wait", Caller.seconds(1)));
      entities.declare(
          ClaimCaller.contract().setStaleAfter(Caller.millis(500)).setEvery(Caller.millis(300)));
      requireSwept(entities, "before");
      var held = operations.acquire(operations.begin("held").setLease(Caller.seconds(5)));

      setup.jump(HOUR.negated(), "the clock of the database went back by 3600");
      var jumped = System.nanoTime();

      // begun after the jump
      var _ = operations.acquireShortly("short");
      var again = operations.begin("short");
      Condition.await("its lease ends", SOON, () -> operations.send(again).hasAcquired());
      var run = runs.started("pause");
      requireSwept(entities, "after");
      Condition.await(
          "its timer fires",
          SOON,
          () -> runs.get(run).getStatus() == RunStatus.RUN_STATUS_COMPLETED);
      var history = new History();
      new Rivals(List.of(operations), history).compete(keys("rival"), 4);
      assertThat(history.violations()).isEmpty();
      assertThat(history.takeOvers()).isPositive();

      // begun before it: it ends late, and no other gets it before
      Condition.await(
          "the time of its lease has passed",
          () -> System.nanoTime() - jumped > TimeUnit.SECONDS.toNanos(6));
      assertThat(operations.send(operations.begin("held")).hasInProgress()).isTrue();
      assertThat(operations.complete(held.getClaim(), Caller.json("1")).hasCompleted()).isTrue();
      assertThat(setup.probe().get("/readyz").status()).isEqualTo(200);
    }
  }

  /** A claim that its holder leaves is taken back. */
  private static void requireSwept(ClaimCaller entities, String id) {
    var _ = entities.approved(id);
    var claim = entities.claimedShortly(id);
    Condition.await(
        "the janitor sweeps", SOON, () -> entities.get(id).getStatus().equals("approved"));
    assertThat(entities.complete(claim).hasClaimLost()).isTrue();
  }

  private static List<String> keys(String prefix) {
    return IntStream.range(0, 20).mapToObj(i -> prefix + "-" + i).toList();
  }
}
