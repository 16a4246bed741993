package dev.hapax.postgres;

import static dev.hapax.postgres.schema.Tables.COMMITTER;

import dev.hapax.postgres.operation.ResultPartitions;
import dev.hapax.postgres.run.RunPurge;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the tables need now and then: partitions made and dropped, old runs and the rows of dead
 * nodes removed.
 */
final class Housekeeping implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
  private static final Duration PERIOD = Duration.ofMinutes(10);

  /** Far longer than a committer keeps its row, which is a day. */
  private static final int DEAD_DAYS = 7;

  private final ResultPartitions partitions;
  private final RunPurge runs;
  private final DataSource database;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("housekeeping").factory());

  Housekeeping(ResultPartitions partitions, RunPurge runs, DataSource database) {
    this.partitions = partitions;
    this.runs = runs;
    this.database = database;
    var _ =
        thread.scheduleWithFixedDelay(
            this::run, PERIOD.toSeconds(), PERIOD.toSeconds(), TimeUnit.SECONDS);
  }

  private void run() {
    try {
      partitions.maintain();
      DSL.using(database, SQLDialect.POSTGRES)
          .deleteFrom(COMMITTER)
          .where(COMMITTER.STARTED_AT.lt(DSL.currentOffsetDateTime().minus(DEAD_DAYS)))
          .execute();
      runs.run();
    } catch (SQLException | DataAccessException | IllegalStateException e) {
      LOG.warn("housekeeping is put off: {}", e.getMessage());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
