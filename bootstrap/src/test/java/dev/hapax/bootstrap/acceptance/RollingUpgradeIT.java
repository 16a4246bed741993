package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.process.HapaxProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Servers of two versions on one database. The next version is the same program with a later
 * schema: this shows that servers stop, start and meet without a loss, and on which schemas. It
 * cannot show that a change of a later version is compatible.
 */
@Tag("nightly")
class RollingUpgradeIT {
  /** The class path of an earlier build, to test against. */
  private static final String PREVIOUS = "hapax.previous";

  private static final int SERVERS = 3;
  private static final int RUNS_EACH = 50;
  private static final int ENTITIES_EACH = 10;

  @TempDir private Path folder = Path.of("");

  private final List<HapaxProcess> servers = new ArrayList<>();
  private final List<String> targets = new ArrayList<>();

  @Test
  @Tag("U1")
  @DisplayName(
      "given three servers under load, when each is replaced by the next version, and then by this"
          + " one again, then nothing is lost or done twice, and callers meet UNAVAILABLE at most")
  void thereAndBack() throws Exception {
    var next =
        NextVersion.in(folder)
            .with("V998__expand_run.sql", "ALTER TABLE hapax.run ADD COLUMN colour text;")
            .with(
                "V999__expand_operation.sql",
                "ALTER TABLE hapax.operation ADD COLUMN colour text;");
    try (var deployment = Deployment.start()) {
      replaceAll(
          deployment,
          () -> next.migrate(deployment.database()),
          () -> next.add(deployment, "--migrate=off"),
          () -> deployment.add("--migrate=off"));
      assertThat(
              deployment.database().query("SELECT max(version) FROM hapax.flyway_schema_history"))
          .isEqualTo("999");
    }
  }

  @Test
  @EnabledIfSystemProperty(named = PREVIOUS, matches = ".+")
  @DisplayName(
      "given three servers of an earlier build, when each is replaced by this one, and back again,"
          + " then nothing is lost or done twice")
  void fromAnEarlierBuild() throws Exception {
    var previous = List.of("-cp", System.getProperty(PREVIOUS));
    try (var deployment = Deployment.start(previous.toArray(String[]::new))) {
      replaceAll(
          deployment,
          () -> HapaxProcess.start("migrate", "--database-url=" + deployment.database().url()),
          () -> deployment.add("--migrate=off"),
          () -> deployment.add(previous, List.of()));
    }
  }

  /** Replaces all servers of a deployment by others, and back, while they work. */
  private void replaceAll(
      Deployment deployment,
      Supplier<HapaxProcess> migrate,
      Supplier<HapaxProcess> after,
      Supplier<HapaxProcess> before)
      throws Exception {
    int runs = RUNS_EACH * (1 + 2 * SERVERS);
    try (var caller = RunCaller.to(deployment.target());
        var load = RunLoad.allowed(runs, caller)) {
      servers.add(deployment.server());
      targets.add(deployment.target());
      for (var i = 1; i < SERVERS; i++) {
        servers.add(before.get());
        targets.add(servers.getLast().awaitReady());
      }
      load.use(targets.toArray(String[]::new));
      load.allow(RUNS_EACH);
      try (var migration = migrate.get()) {
        assertThat(migration.awaitExit()).as("%s", migration.errors()).isZero();
      }
      for (var start : List.of(after, before)) {
        for (var i = 0; i < SERVERS; i++) {
          replace(deployment, i, load, start);
        }
      }
      load.finish();
    }
  }

  /** Starts another server, then stops this one with calls on runs and entities in flight. */
  private void replace(Deployment deployment, int index, RunLoad load, Supplier<HapaxProcess> start)
      throws Exception {
    var before = load.completed();
    var replacement = start.get();
    var target = replacement.awaitReady();
    load.allow(RUNS_EACH);
    try (var stopping = ClaimCaller.to(targets.get(index));
        var starting = stopping.via(target);
        var claims = ClaimLoad.start(deployment.database(), ENTITIES_EACH, stopping, starting)) {
      Condition.await(
          "calls are in flight", () -> load.completed() > before && claims.granted() > 0);
      var old = servers.set(index, replacement);
      targets.set(index, target);
      load.use(targets.toArray(String[]::new));
      old.terminate();
      assertThat(old.awaitExit()).as("%s", old.errors()).isZero();
      claims.finish(starting);
    }
  }

  @Test
  @Tag("U2")
  @DisplayName(
      "given a contract migration, when a server without its feature runs, then it is refused with"
          + " the name of that server; afterwards such servers do not serve")
  void contract() throws Exception {
    try (var deployment = Deployment.configured("--metrics-listen=127.0.0.1:0");
        var caller = deployment.caller()) {
      var database = deployment.database();
      var known = Integer.parseInt(database.query("SELECT features FROM hapax.node"));
      var later = "feature " + (known + 1);
      var next =
          NextVersion.in(folder)
              .with(
                  "V999__contract_restoration.sql",
                  """
                  SELECT hapax.require_feature(%s);
                  ALTER TABLE hapax.restoration DROP COLUMN state_of;
                  """
                      .formatted(known + 1));
      var server = deployment.server();
      try (var dryRun = next.migrate(database, "--dry-run")) {
        assertThat(dryRun.awaitExit()).isZero();
        assertThat(dryRun.output())
            .contains(
                "contract  V999__contract_restoration.sql, waits until every server knows "
                    + later);
      }
      var node = database.query("SELECT id FROM hapax.node");
      var refusal = "V999__contract_restoration.sql has to wait: server " + node;
      try (var migrate = next.migrate(database);
          var newServer = next.add(deployment)) {
        assertThat(migrate.awaitExit()).isEqualTo(1);
        assertThat(migrate.errors().getLast()).contains(refusal, "Stop or upgrade that server");
        assertThat(newServer.awaitExit()).isEqualTo(8);
        assertThat(newServer.errors().getLast()).contains(refusal);
      }
      assertThat(Probe.of(server).get("/readyz").status()).isEqualTo(200);

      var held = caller.acquire("key");
      var waiting =
          caller.futures().beginOperation(caller.begin("key").setWait(Caller.seconds(30)).build());
      Condition.await("it waits", () -> deployment.busyConnections() == 0);
      server.stop();
      database.execute("UPDATE hapax.node SET seen_at = seen_at - interval '61 s'");
      try (var migrate = next.migrate(database)) {
        assertThat(migrate.awaitExit()).as("%s", migrate.errors()).isZero();
      }
      server.cont();
      server.awaitError(line -> line.contains("not serving: ") && line.contains("uses " + later));
      var ready = Probe.of(server).get("/readyz");
      assertThat(ready.status()).isEqualTo(503);
      assertThat(ready.body())
          .contains("registration: ", "features up to " + known, "uses " + later);

      assertThatThrownBy(() -> caller.complete(held, Caller.json("1")))
          .hasMessageContaining("UNAVAILABLE")
          .hasMessageContaining("uses " + later);
      assertThatThrownBy(waiting::get).hasMessageContaining("uses " + later);

      try (var older = deployment.add()) {
        assertThat(older.awaitExit()).isEqualTo(8);
        assertThat(older.errors().getLast())
            .contains("this database uses " + later + " of a newer version");
      }
    }
  }

  @Test
  @Tag("U3")
  @DisplayName(
      "given a transaction that reads for long, when migrating under load, then no statement waits"
          + " for 2 s, calls go on, and the migration passes once the transaction has ended")
  void underLoad() throws Exception {
    var next =
        NextVersion.in(folder)
            .with("V997__expand_run.sql", "ALTER TABLE hapax.run ADD COLUMN colour text;")
            .withoutTransaction(
                "V998__expand_run_colour.sql",
                """
                DROP INDEX CONCURRENTLY IF EXISTS hapax.run_colour;
                CREATE INDEX CONCURRENTLY run_colour ON hapax.run (colour);
                """);
    try (var deployment = Deployment.start();
        var caller = RunCaller.to(deployment.target());
        var load = RunLoad.allowed(3 * RUNS_EACH, caller);
        var watch = LockWaits.watch(deployment.database());
        var reader = deployment.database().connect();
        var reading = reader.createStatement()) {
      load.allow(RUNS_EACH);
      Condition.await("some are done", () -> load.completed() > 0);
      reader.setAutoCommit(false);
      reading.execute("SELECT count(*) FROM hapax.run");

      try (var migrate = next.migrate(deployment.database())) {
        migrate.awaitError(line -> line.contains("V997__expand_run.sql failed"));
        var before = load.completed();
        load.allow(RUNS_EACH);
        Condition.await("calls are answered", () -> load.completed() >= before + RUNS_EACH);
        assertThat(migrate.isAlive()).isTrue();
        reader.rollback();
        // an index waits for older transactions, whatever they read
        reading.execute("SELECT count(*) FROM hapax.definition");
        Condition.await("the index waits", () -> isIndexFailed(deployment));
        load.allow(RUNS_EACH);
        reader.rollback();
        assertThat(migrate.awaitExit()).as("%s", migrate.errors()).isZero();
      }
      load.finish();
      assertThat(watch.longestSeconds()).isBetween(0.1, 2.0);
      assertThat(
              deployment
                  .database()
                  .query(
                      "SELECT indisvalid FROM pg_index WHERE indexrelid = 'hapax.run_colour'::regclass"))
          .isEqualTo("t");
    }
  }

  /** It leaves an index that is not valid, which the next try replaces. */
  private static boolean isIndexFailed(Deployment deployment) {
    return deployment
        .database()
        .query("SELECT count(*) FROM hapax.flyway_schema_history WHERE NOT success")
        .equals("1");
  }
}
