package dev.hapax.postgres;

import static dev.hapax.postgres.schema.Tables.COMMITTER;
import static dev.hapax.postgres.schema.Tables.NODE;

import dev.hapax.domain.monitoring.Loop;
import dev.hapax.postgres.entity.EntityEventPurge;
import dev.hapax.postgres.hook.PlacePurge;
import dev.hapax.postgres.intent.IntentOutcomePurge;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.limit.LimitPurge;
import dev.hapax.postgres.run.RunKeyPurge;
import dev.hapax.postgres.run.RunPurge;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes old runs, their keys, events, outcomes, places and slots, and the rows of dead nodes,
 * every ten minutes.
 */
final class Housekeeping implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
  private static final Duration PERIOD = Duration.ofMinutes(10);

  /**
   * The delay of the first round: short for servers that run briefly, random so that servers
   * restarted together do not run it at once.
   */
  private static final Duration MIN_FIRST = Duration.ofSeconds(30);

  private static final Duration MAX_FIRST = Duration.ofSeconds(90);

  /** A committer replaces its row after a day, so older rows belong to stopped nodes. */
  private static final int DEAD_DAYS = 7;

  /** Long after a row has stopped to count, so that operators can still read it. */
  private static final int UNSEEN_DAYS = 1;

  private final Loop loop = new Loop("housekeeping", PERIOD, System::nanoTime);
  private final RunPurge runs;
  private final RunKeyPurge keys;
  private final EntityEventPurge events;
  private final IntentOutcomePurge intents;
  private final PlacePurge places;
  private final LimitPurge limits;
  private final DataSource database;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("housekeeping").factory());

  Housekeeping(
      MaintenanceConnections maintenance,
      Duration runRetention,
      Duration eventRetention,
      DataSource database) {
    this.runs = new RunPurge(maintenance, runRetention);
    this.keys = new RunKeyPurge(maintenance, runRetention);
    this.events = new EntityEventPurge(maintenance, eventRetention);
    this.intents = new IntentOutcomePurge(maintenance);
    this.places = new PlacePurge(maintenance);
    this.limits = new LimitPurge(maintenance);
    this.database = database;
    var first = randomFirst();
    var _ =
        thread.scheduleWithFixedDelay(
            this::run, first.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static Duration randomFirst() {
    return Duration.ofMillis(
        ThreadLocalRandom.current().nextLong(MIN_FIRST.toMillis(), MAX_FIRST.toMillis()));
  }

  void run() {
    var successes =
        List.of(
            runLogged("removing the rows of dead nodes", this::removeDeadNodes),
            // before the runs, which are kept as long as places lead to their tokens
            runLogged("removing places of runs that wait no longer", places::run),
            runLogged("removing slots that count no longer, and unused limits", limits::run),
            runLogged("removing old runs", runs::run),
            runLogged("removing old idempotency keys of runs", keys::run),
            runLogged("removing old events of entities", events::run),
            runLogged("removing old outcomes of intents", intents::run));
    loop.ended(!successes.contains(false));
  }

  private interface Work {
    void run() throws SQLException;
  }

  Loop loop() {
    return loop;
  }

  /**
   * Runs the work; a failure is logged, so that the other work and the next round still run.
   *
   * @return whether it succeeded
   */
  private static boolean runLogged(String what, Work work) {
    try {
      work.run();
      return true;
    } catch (SQLException | RuntimeException | Error e) {
      LOG.warn("{} failed, will retry in {} minutes: {}", what, PERIOD.toMinutes(), e.getMessage());
      return false;
    }
  }

  private void removeDeadNodes() {
    var sql = DSL.using(database, SQLDialect.POSTGRES);
    sql.deleteFrom(COMMITTER)
        .where(COMMITTER.STARTED_AT.lt(DSL.currentOffsetDateTime().minus(DEAD_DAYS)))
        .execute();
    sql.deleteFrom(NODE)
        .where(NODE.SEEN_AT.lt(DSL.currentOffsetDateTime().minus(UNSEEN_DAYS)))
        .execute();
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
