package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.document.CodeBlock;
import dev.hapax.bootstrap.process.FreePort;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.client.Hapax;
import dev.hapax.client.Value;
import dev.hapax.client.Worker;
import dev.hapax.v1.RunStatus;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A primary and a streaming standby, and a server with the URL that docs/configuration.md has for
 * them.
 */
@Tag("nightly")
@Tag("operators-S7")
class FailoverIT {
  private static final Duration OUTAGE = Duration.ofSeconds(8);
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(60);

  /** 20 calls a second. */
  private static final long PERIOD_MILLIS = 50;

  /** A standby that is not synchronous may lack the last changes. */
  private static final Duration LAG = Duration.ofSeconds(1);

  @TempDir private Path folder = Path.of("");

  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
  private final AtomicInteger calls = new AtomicInteger();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final Queue<Started> started = new ConcurrentLinkedQueue<>();
  private int primary;
  private int standby;

  /** A run whose start was acknowledged. */
  private record Started(String run, long nanos) {}

  @BeforeEach
  void ports() throws IOException {
    primary = FreePort.next();
    standby = FreePort.next();
  }

  @AfterEach
  void stop() throws IOException {
    timer.shutdownNow();
    var postgres = InstalledPostgres.in(folder);
    postgres.stop("primary", "immediate");
    postgres.stop("standby", "immediate");
  }

  private InstalledPostgres startPair() throws IOException {
    var postgres = InstalledPostgres.in(folder);
    postgres.startNew("primary", primary, "");
    postgres.shell(primary, "createdb hapax");
    postgres.shell(
        primary,
        "pg_basebackup --pgdata=%s --checkpoint=fast --wal-method=stream --write-recovery-conf"
            .formatted(folder.resolve("standby")));
    postgres.start(
        "standby",
        standby,
        "primary_conninfo = 'host=127.0.0.1 port=%s user=hapax application_name=standby'"
            .formatted(primary));
    Condition.await(
        "the standby streams",
        () -> query(primary, "SELECT count(*) FROM pg_stat_replication").equals("1"));
    return postgres;
  }

  private void awaitSynchronous(InstalledPostgres postgres) {
    postgres.shell(
        primary,
        "psql --quiet --dbname=hapax --command \"ALTER SYSTEM SET synchronous_standby_names = 'standby'\""
            + " --command 'SELECT pg_reload_conf()'");
    Condition.await(
        "commits wait for the standby",
        () ->
            query(primary, "SELECT string_agg(sync_state, ',') FROM pg_stat_replication")
                .equals("sync"));
  }

  private static String query(int port, String sql) {
    try (var connection = DriverManager.getConnection(InstalledPostgres.url(port));
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return String.valueOf(row.getString(1));
    } catch (SQLException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** The documented URL. */
  private String url() {
    return CodeBlock.in(Path.of("docs", "configuration.md")).stream()
        .flatMap(block -> block.text().lines())
        .filter(line -> line.contains("h1:5432,h2:5432"))
        .map(line -> line.replaceAll(".*'(.*)'.*", "$1"))
        .map(documented -> documented.replaceAll("&ssl.*", "&user=hapax"))
        .findFirst()
        .orElseThrow()
        .replace("h1:5432", "127.0.0.1:" + primary)
        .replace("h2:5432", "127.0.0.1:" + standby);
  }

  private HapaxProcess serve() {
    return HapaxProcess.start(
        "serve", "--listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0", "--database-url=" + url());
  }

  private static Hapax connect(Caller caller) {
    return Hapax.builder(Map.of())
        .channel(caller.channel())
        .workspace(caller.workspace())
        .callTimeout(CALL_TIMEOUT)
        .connect();
  }

  private void call(Hapax client) {
    var number = calls.incrementAndGet();
    try {
      if (number % 2 == 0) {
        client.once("pay", "key-" + number, claim -> {});
      } else if (client.runs().start("order") instanceof dev.hapax.client.Started.Created created) {
        started.add(new Started(created.run().id(), System.nanoTime()));
      }
    } catch (RuntimeException e) {
      failures.add(number + ": " + e);
    }
  }

  private void failOver(
      InstalledPostgres postgres, Caller caller, HapaxProcess server, Duration lag)
      throws Exception {
    // it is closed with its caller
    var runs = new RunCaller(caller);
    runs.define("order", RunCaller.shortTask("charge"));
    try (var client = connect(caller);
        var _ = worker(client);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var load =
          timer.scheduleAtFixedRate(
              () -> threads.execute(() -> call(client)), 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
      Condition.await("the load runs", () -> started.size() > 40);

      var stopped = System.nanoTime();
      postgres.stop("primary", "immediate");
      // the time that a manager of failovers takes is what is tested
      timer
          .schedule(
              () ->
                  postgres.shell(
                      standby, "pg_ctl --pgdata=%s promote".formatted(folder.resolve("standby"))),
              OUTAGE.toMillis(),
              TimeUnit.MILLISECONDS)
          .get();
      var promoted = calls.get();
      Condition.await("it serves again", () -> Probe.of(server).get("/readyz").status() == 200);
      Condition.await("the load continues", () -> calls.get() > promoted + 100);
      load.cancel(false);
      threads.shutdown();
      assertThat(threads.awaitTermination(2, TimeUnit.MINUTES)).isTrue();

      assertThat(failures).isEmpty();
      assertThat(started)
          .hasSizeGreaterThan(100)
          .filteredOn(run -> run.nanos() < stopped - lag.toNanos() || run.nanos() > stopped)
          .allSatisfy(
              run -> {
                var end = runs.awaitEnd(run.run());
                assertThat(end.getStatus()).as("%s", end).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
              });
    }
  }

  private static Worker worker(Hapax client) {
    return client
        .worker()
        .step(RunCaller.QUEUE, "order", "charge", task -> new Value.Json("1"))
        .start();
  }

  @Test
  @DisplayName(
      "given 20 calls a second with a timeout of 60 s, when the primary stops and its standby is promoted"
          + " after 8 s, then no call fails, and the runs complete without a restart")
  void promoted() throws Exception {
    var postgres = startPair();
    try (var server = serve();
        var caller = Caller.to(server.awaitReady())) {
      failOver(postgres, caller, server, LAG);
    }
  }

  @Test
  @DisplayName(
      "given a synchronous standby, when it is away, then no commit is acknowledged; and after its"
          + " promotion nothing that was acknowledged is lost")
  void synchronous() throws Exception {
    var postgres = startPair();
    awaitSynchronous(postgres);
    try (var server = serve();
        var caller = Caller.to(server.awaitReady())) {
      var _ = caller.complete(caller.acquire("before"), Caller.json("1"));
      postgres.stop("standby", "fast");
      assertThatThrownBy(() -> caller.acquire("while-away")).hasMessageContaining("UNAVAILABLE");
      assertThat(caller.get("before").getResult()).isEqualTo(Caller.json("1"));
      try (var doctor =
          HapaxProcess.start("doctor", "--listen=127.0.0.1:0", "--database-url=" + url())) {
        assertThat(doctor.awaitExit()).isZero();
        assertThat(doctor.output())
            .anyMatch(
                line -> line.contains("commits have waited for a synchronous standby (standby)"));
      }
      assertThatThrownBy(() -> caller.acquire("while-away")).hasMessageContaining("UNAVAILABLE");
      postgres.start("standby", standby, "");
      Condition.await(
          "calls are answered again",
          Duration.ofMinutes(1),
          () -> {
            try {
              return caller.acquire("back-" + System.nanoTime()).getFence() > 0;
            } catch (StatusRuntimeException _) {
              return false;
            }
          });

      failOver(postgres, caller, server, Duration.ZERO);
      assertThat(caller.get("before").getResult()).isEqualTo(Caller.json("1"));
    }
  }
}
