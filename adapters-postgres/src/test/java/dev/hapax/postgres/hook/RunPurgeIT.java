package dev.hapax.postgres.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.hook.CreateHook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.StartRunWithHooks;
import dev.hapax.domain.run.RecordStep;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.TaskLost;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.ledger.SqlState;
import dev.hapax.postgres.run.RunKeyPurge;
import dev.hapax.postgres.run.RunPurge;
import dev.hapax.postgres.run.RunSamples;
import dev.hapax.postgres.schema.SessionRoles;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** What is removed, and what is not. Time passes by changing what the tables say of it. */
@Tag("long")
class RunPurgeIT {
  private static final Duration RETENTION = Duration.ofDays(1);
  private static final List<String> TABLES =
      List.of("run", "run_event", "run_signal", "run_step", "run_label", "run_key", "hook");

  private HookNodes nodes;

  @BeforeEach
  void start() {
    nodes = new HookNodes(2);
  }

  @AfterEach
  void stop() {
    try (var all = nodes) {
      assertThat(all.nodes.deadlocks()).as("no deadlock with a purge").isZero();
    }
  }

  private RunPurge purge(LongConsumer pause, LongSupplier nanoTime) {
    return new RunPurge(
        new MaintenanceConnections(nodes.nodes.database().dataSource(), SessionRoles.LOGIN),
        RETENTION,
        pause,
        nanoTime);
  }

  /** Purges runs, and then their keys; returns the number of runs. */
  private int purges() throws SQLException {
    return purges(RETENTION);
  }

  private int purges(Duration retention) throws SQLException {
    var connections =
        new MaintenanceConnections(nodes.nodes.database().dataSource(), SessionRoles.LOGIN);
    var removed = new RunPurge(connections, retention).run();
    new RunKeyPurge(connections, retention).run();
    return removed;
  }

  /** As if all had ended, and been remembered until, so much earlier. */
  private void later(Duration time) {
    nodes
        .nodes
        .database()
        .execute(
            """
            UPDATE hapax.run SET until = until - interval '%1$s', remembered_until = remembered_until - interval '%1$s';
            UPDATE hapax.run_key SET expires_at = expires_at - interval '%1$s'
            """
                .formatted(time));
  }

  private long rows(String table) {
    return Long.parseLong(nodes.nodes.database().query("SELECT count(*) FROM hapax." + table));
  }

  private static StartRunWithHooks start(
      HookId token, Duration retention, Duration memory, String key) {
    var start =
        HookNodes.start(
            token,
            retention,
            HookNodes.TAKE,
            Optional.of(HookNodes.signal("s")),
            Map.of("a", "b \u00e4 \" \\", "c", ""));
    var run = start.start();
    return new StartRunWithHooks(
        new StartRun(
            run.run(),
            run.definition(),
            run.parameters().input(),
            run.parameters().labels(),
            Optional.empty(),
            Optional.of(
                new StartRun.Key(
                    RunKeyId.of(RunSamples.WORKSPACE, key),
                    Fingerprint.of(new byte[] {1}),
                    memory)),
            run.signal(),
            HookNodes.BY),
        List.of(
            new StartRunWithHooks.Wanted(
                token, "", retention, start.wanted().getFirst().onConflict())));
  }

  /** With something in every table. */
  private RunId ended(String name, Duration retention, Duration memory) {
    var token = HookNodes.token(name);
    var run = HookNodes.created(nodes.run(start(token, retention, memory, name)));
    nodes.run(
        new CreateHook(
            run,
            Optional.empty(),
            HookNodes.token(name + ", too"),
            "",
            Duration.ZERO,
            Optional.empty(),
            HookNodes.BY));
    var claim = nodes.take(run);
    nodes.run(
        new RecordStep(
            claim, "named", Optional.of(new Payload.Json("1")), List.of(), PrincipalName.NONE));
    nodes.run(HookNodes.complete(claim));
    return run;
  }

  @Test
  @DisplayName(
      "a run is removed with all that belongs to it when its retention is over, not before")
  void everything() throws SQLException {
    ended("one", Duration.ZERO, Duration.ZERO);
    for (var table : TABLES) {
      assertThat(rows(table)).as(table).isPositive();
    }
    assertThat(purges()).isZero();
    later(RETENTION.minusMinutes(1));
    assertThat(purges()).isZero();
    later(Duration.ofMinutes(1));
    assertThat(purges()).isEqualTo(1);
    for (var table : TABLES) {
      assertThat(rows(table)).as(table).isZero();
    }
  }

  @Test
  @DisplayName("given a run that is open or has a key or a token, when purging, then it stays")
  void remembered() throws SQLException {
    var alive = nodes.owner(HookNodes.token("alive"));
    nodes.take(alive);
    var byKey = ended("key", Duration.ZERO, RETENTION.multipliedBy(3));
    var byToken = ended("token", RETENTION.multipliedBy(5), Duration.ZERO);
    later(RETENTION.multipliedBy(2));
    assertThat(purges()).isZero();
    later(RETENTION);
    assertThat(purges()).isEqualTo(1);
    assertThat(nodes.nodes.runs().find(byKey).join()).isEmpty();
    later(RETENTION.plusMinutes(1));
    assertThat(purges()).isZero();
    assertThat(nodes.owner(HookNodes.token("token"), true)).contains(byToken);
    later(RETENTION);
    assertThat(purges()).isEqualTo(1);
    later(Duration.ofDays(10_000));
    assertThat(purges()).isZero();
    assertThat(nodes.find(alive).hasEnded()).isFalse();
    assertThat(rows("run")).isEqualTo(1);
    assertThat(rows("hook")).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "given tokens and keys of another run, when purging, then they stay, and fences still grow")
  void handedOn() throws SQLException {
    var token = HookNodes.token("one");
    var old = ended("one", RETENTION, Duration.ZERO);
    var next =
        ((StartOutcome.Superseded) nodes.run(start(token, RETENTION, Duration.ZERO, "one"))).run();
    nodes
        .nodes
        .database()
        .execute(
            "UPDATE hapax.run SET until = until - interval '3 days' WHERE id = '%s'"
                .formatted(old.uuid()));
    assertThat(purges()).isEqualTo(1);
    assertThat(nodes.owner(token, false)).contains(next.id());
    assertThat(nodes.nodes.runs().keyed(RunKeyId.of(RunSamples.WORKSPACE, "one")).join())
        .contains(next.id());
    assertThat(nodes.find(next.id()).tokens().supersedes())
        .as("it says still whom it superseded")
        .contains(old);

    // all of it forgotten: the same key and token make a run with an id of its own, so that no
    // claim of the one before can hold anything of it; its fences are higher besides
    var stale = nodes.take(next.id());
    nodes.run(HookNodes.cancel(next.id()));
    later(Duration.ofDays(3));
    assertThat(purges()).isEqualTo(1);
    var anew = HookNodes.created(nodes.run(start(token, RETENTION, Duration.ZERO, "one")));
    assertThat(anew).isNotEqualTo(next.id());
    assertThat(nodes.run(HookNodes.complete(stale)))
        .isEqualTo(new TaskLost(stale, Optional.empty()));
    assertThat(nodes.take(anew).fence().value()).isGreaterThan(stale.fence().value());
  }

  @Test
  @DisplayName(
      "given a locked run, one with a locked token and a locked key, when purging, then they stay for"
          + " the next purge")
  void locked() throws SQLException {
    ended("run", Duration.ZERO, Duration.ZERO);
    ended("token", Duration.ZERO, Duration.ZERO);
    ended("key", Duration.ZERO, Duration.ZERO);
    ended("free", Duration.ZERO, Duration.ZERO);
    later(Duration.ofDays(3));
    try (var connection = nodes.nodes.database().connect();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (var lock :
          List.of(
              "SELECT FROM hapax.run WHERE id = (SELECT run_id FROM hapax.hook WHERE hash = '%s') FOR UPDATE"
                  .formatted(HookNodes.token("run").hash()),
              "SELECT FROM hapax.hook WHERE hash = '%s' FOR UPDATE"
                  .formatted(HookNodes.token("token, too").hash()),
              "SELECT FROM hapax.run_key WHERE hash = '%s' FOR UPDATE"
                  .formatted(RunKeyId.of(RunSamples.WORKSPACE, "key").hash()))) {
        statement.execute(lock);
      }
      assertThat(purges()).isEqualTo(2);
      assertThat(rows("run_key")).as("those of run and token, and the locked one").isEqualTo(3);
      connection.rollback();
    }
    assertThat(purges()).isEqualTo(2);
    for (var table : TABLES) {
      assertThat(rows(table)).as(table).isZero();
    }
  }

  @Test
  @Timeout(value = 20, threadMode = ThreadMode.SEPARATE_THREAD)
  @DisplayName("given locked rows of a run, when purging, then it times out")
  void lockedPart() throws SQLException {
    ended("one", Duration.ZERO, Duration.ZERO);
    later(Duration.ofDays(3));
    try (var session = nodes.nodes.database().connect();
        var hold = session.createStatement()) {
      session.setAutoCommit(false);
      hold.execute("SELECT FROM hapax.run_event FOR UPDATE");

      assertThatThrownBy(this::purges)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(SqlState.of(e)).isEqualTo(SqlState.BLOCKED));
      session.rollback();
    }
    assertThat(purges()).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "many, of which some are remembered and many ended at the same time, are removed in pages")
  void pages() throws SQLException {
    HookNodes.awaitAll(
        IntStream.range(0, 1_600)
            .mapToObj(
                i -> nodes.submit(HookNodes.start(HookNodes.token("t" + i), HookNodes.REJECT))));
    nodes
        .nodes
        .database()
        .execute(
            """
            UPDATE hapax.run SET status = 7, phase = 8, reason = '', due_at = NULL, queue = NULL,
              until = now() - interval '2 days',
              version = CASE WHEN id::text LIKE '%1' THEN 15000 ELSE version END,
              remembered_until = CASE WHEN id::text LIKE '%2' THEN now() + interval '1 day' ELSE now() END;
            -- so many at one time that a page is full of what is remembered
            UPDATE hapax.run SET until = now() - interval '3 days', remembered_until = now() + interval '1 day'
            WHERE id IN (SELECT id FROM hapax.run ORDER BY id LIMIT 700)
            """);
    var kept =
        Integer.parseInt(
            nodes
                .nodes
                .database()
                .query("SELECT count(*) FROM hapax.run WHERE remembered_until > now()"));
    assertThat(purges()).isEqualTo(1_600 - kept).isPositive();
    assertThat(rows("run")).isEqualTo(kept);
    assertThat(rows("hook")).isEqualTo(kept);
  }

  @Test
  @DisplayName(
      "tokens handed on while runs are purged at once after their end: no conflict, "
          + "no deadlock [X2]")
  void meanwhile() {
    var over = new AtomicBoolean();
    var removed = new AtomicInteger();
    var purging =
        List.of(0, 1).stream()
            .map(_ -> CompletableFuture.runAsync(() -> purgeUntil(over, removed)))
            .toList();
    for (var round = 0; round < 40; round++) {
      var starts = new ArrayList<CompletableFuture<StartOutcome>>();
      for (var i = 0; i < 10; i++) {
        starts.add(
            nodes.submit(start(HookNodes.token("t" + i), Duration.ZERO, Duration.ZERO, "k" + i)));
      }
      for (var outcome : HookNodes.awaitAll(starts.stream())) {
        nodes.run(HookNodes.cancel(HookNodes.created(outcome)));
      }
    }
    over.set(true);
    purging.forEach(HookNodes::await);
    assertThat(removed).as("it was there").hasPositiveValue();
    later(Duration.ofDays(3));
    purgeUntil(over, removed);
    assertThat(removed).hasValue(400);
    for (var table : TABLES) {
      assertThat(rows(table)).as(table).isZero();
    }
  }

  private void purgeUntil(AtomicBoolean over, AtomicInteger removed) {
    try {
      do {
        removed.addAndGet(purges(Duration.ZERO));
      } while (!over.get());
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName(
      "given more than two minutes of work, then a purge ends, and the next one continues there")
  void ends() throws SQLException {
    for (var i = 0; i < 3; i++) {
      ended("slow-" + i, Duration.ZERO, Duration.ZERO);
    }
    // each has more events than go in one transaction with another one
    nodes.nodes.database().execute("UPDATE hapax.run SET version = 15000");
    later(Duration.ofDays(3));
    var nanos = new AtomicLong();
    var purge = purge(_ -> nanos.addAndGet(Duration.ofMinutes(1).toNanos()), nanos::get);

    assertThat(purge.run()).isEqualTo(2);
    assertThat(purge.run()).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "a purge pauses after each page for as long as the page took, but not after the last")
  void pauses() throws SQLException {
    for (var i = 0; i < 3; i++) {
      ended("pause-" + i, Duration.ZERO, Duration.ZERO);
    }
    // each has more events than go in one transaction with another one
    nodes.nodes.database().execute("UPDATE hapax.run SET version = 15000");
    later(Duration.ofDays(3));
    var pauses = new ArrayList<Long>();
    var begun = System.nanoTime();

    var removed = purge(pauses::add, System::nanoTime).run();

    assertThat(removed).isEqualTo(3);
    assertThat(pauses).hasSize(2).allMatch(pause -> pause > 0);
    assertThat(pauses.stream().mapToLong(Long::longValue).sum())
        .isLessThanOrEqualTo(System.nanoTime() - begun);
  }
}
