package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Servers are killed while runs wait in line: a turn that a killed server did not pass is found.
 */
@Tag("fault")
class QueueKillIT {
  private static final List<String> RING = List.of("a", "b", "c");

  private final Deployment deployment = Deployment.start();
  private final QueueCaller first = QueueCaller.to(deployment.target());
  private final List<QueueCaller> callers = new ArrayList<>(List.of(first));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /** The runs that were started, each with the tokens that it needs. */
  private final Map<String, List<String>> runs = new ConcurrentHashMap<>();

  /** The runs that ended, each with the answers that say so. */
  private final Map<String, Integer> ends = new ConcurrentHashMap<>();

  @AfterEach
  void close() {
    threads.shutdownNow();
    callers.forEach(QueueCaller::close);
    deployment.close();
  }

  private Persistent<QueueCaller> servers(int from) {
    return new Persistent<>(List.copyOf(callers.subList(from, callers.size())));
  }

  private HapaxProcess add() {
    var server = deployment.add();
    callers.add(first.via(server.awaitReady()));
    return server;
  }

  private void start(Persistent<QueueCaller> servers, int number, String... tokens) {
    var key = "run-" + number;
    var answer =
        servers.ask(
            number,
            server ->
                server
                    .hooks()
                    .send(server.start(tokens).setDefinition("short").setIdempotencyKey(key)));
    runs.put(answer.getRun().getId(), List.of(tokens));
  }

  /** Works until all runs have ended; a task whose completion was lost comes again. */
  private Future<?> worker(Persistent<QueueCaller> servers, int number) {
    var wait = Caller.millis(300);
    return threads.submit(
        () -> {
          while (ends.size() < runs.size()) {
            var tasks =
                servers.ask(
                    number,
                    server ->
                        server.runs().poll(server.runs().polling("w" + number).setWait(wait)));
            for (var task : tasks) {
              var done =
                  servers.ask(number, server -> server.runs().complete(task.getClaim(), "1"));
              if (done.hasCompleted()) {
                ends.merge(task.getRun().getId(), 1, Integer::sum);
              }
            }
          }
        });
  }

  private void awaitEnds(List<? extends Future<?>> workers) throws Exception {
    Condition.await("all have ended", Condition.MUCH_WORK, () -> ends.size() == runs.size());
    for (var worker : workers) {
      worker.get();
    }
  }

  private Map<String, List<RunEvent>> histories(QueueCaller caller) {
    var histories = new TreeMap<String, List<RunEvent>>();
    runs.keySet().forEach(run -> histories.put(run, caller.runs().events(run)));
    return histories;
  }

  private static Instant at(List<RunEvent> history, RunEventType type) {
    var found =
        history.stream()
            .filter(event -> event.getType() == type)
            .map(
                event ->
                    Instant.ofEpochSecond(event.getAt().getSeconds(), event.getAt().getNanos()))
            .toList();
    assertThat(found).as("once: %s", type).hasSize(1);
    return found.getFirst();
  }

  private record Time(Instant owned, Instant ended) {}

  /** No two runs have owned a token at the same time, and all have ended, each once. */
  private void requireOneAtATime(QueueCaller caller) {
    var histories = histories(caller);
    var times = new TreeMap<String, Time>();
    histories.forEach(
        (run, history) -> {
          assertThat(history.getLast().getType())
              .as(run)
              .isEqualTo(RunEventType.RUN_EVENT_TYPE_COMPLETED);
          var owned =
              history.stream()
                  .filter(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_HOOK_CREATED)
                  .toList();
          assertThat(owned).as(run).hasSize(tokens(run).size());
          times.put(
              run,
              new Time(
                  at(List.of(owned.getFirst()), RunEventType.RUN_EVENT_TYPE_HOOK_CREATED),
                  at(history, RunEventType.RUN_EVENT_TYPE_COMPLETED)));
        });
    for (var token : tokens()) {
      var free = Instant.MIN;
      var owners =
          times.entrySet().stream()
              .filter(time -> tokens(time.getKey()).contains(token))
              .map(Map.Entry::getValue)
              .sorted(Comparator.comparing(Time::owned))
              .toList();
      for (var owner : owners) {
        assertThat(owner.owned()).as("owners of %s", token).isAfterOrEqualTo(free);
        free = owner.ended();
      }
    }
    assertThat(deadlocks()).isEqualTo("0");
    assertThat(deployment.database().query(WAITING)).as("runs that wait").isEqualTo("0");
    for (var token : tokens()) {
      assertThat(caller.hooks().send(caller.start(token)).getDisposition())
          .as("the token is free")
          .isEqualTo(Disposition.DISPOSITION_CREATED);
    }
  }

  private static final String WAITING =
      """
      SELECT count(*) FROM hapax.place p JOIN hapax.run r
        ON r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
      """;

  private List<String> tokens(String run) {
    return runs.getOrDefault(run, List.of());
  }

  private List<String> tokens() {
    return runs.values().stream().flatMap(List::stream).distinct().sorted().toList();
  }

  private String deadlocks() {
    return deployment
        .database()
        .query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  }

  @Test
  @DisplayName(
      "given an owner that ended, when its server is killed before it passes the turn, then"
          + " another server does")
  @Tag("turns-F3")
  void notPassed() throws SQLException {
    add();
    var owner = first.queue("a");
    var next = first.waits("a");
    try (var connection = deployment.database().connect();
        var lock = connection.createStatement()) {
      connection.setAutoCommit(false);
      // what passes the turn has to wait, and the end of the owner has not
      lock.execute("SELECT FROM hapax.hook FOR UPDATE");
      first.work(owner.getId());
      deployment.server().kill9();
      connection.rollback();
    }
    callers.getLast().work(next.getId());
  }

  @Test
  @DisplayName(
      "given a ring of tokens over three servers, when two are killed, then 300 runs end one by"
          + " one, without a deadlock")
  @Tag("turns-F7")
  @Tag("long")
  void ring() throws Exception {
    first.runs().define("short", RunCaller.shortTask("charge"));
    var second = add();
    add();
    var servers = servers(0);
    var starts =
        IntStream.range(0, 300)
            .mapToObj(
                i -> {
                  var one = ThreadLocalRandom.current().nextInt(RING.size());
                  var other = (one + 1 + ThreadLocalRandom.current().nextInt(2)) % RING.size();
                  return threads.submit(() -> start(servers, i, RING.get(one), RING.get(other)));
                })
            .toList();
    for (var start : starts) {
      start.get();
    }
    var workers = IntStream.range(0, 6).mapToObj(i -> worker(servers, i)).toList();
    Condition.await("some have ended", Condition.MUCH_WORK, () -> ends.size() > 60);
    deployment.server().kill9();
    Condition.await("more have ended", Condition.MUCH_WORK, () -> ends.size() > 150);
    second.kill9();
    awaitEnds(workers);
    requireOneAtATime(callers.getLast());
  }

  @Test
  @DisplayName("given 1,000 runs that wait, when all servers are killed, then all end, once each")
  @Tag("turns-F4")
  @Tag("long")
  void restart() throws Exception {
    first.runs().define("short", RunCaller.shortTask("charge"));
    add();
    var before = servers(0);
    var starts =
        IntStream.range(0, 1_010)
            .mapToObj(i -> threads.submit(() -> start(before, i, "line/" + i % 10)))
            .toList();
    for (var start : starts) {
      start.get();
    }
    deployment.killServers();
    var killed = callers.size();
    add();
    var left = servers(killed);
    var workers = IntStream.range(0, 6).mapToObj(i -> worker(left, i)).toList();
    awaitEnds(workers);
    assertThat(ends).hasSize(1_010);
    assertThat(ends.values()).containsOnly(1);
    requireOneAtATime(callers.getLast());
  }
}
