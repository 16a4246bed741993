package dev.hapax.bench.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.bench.ClosedLoopLoad;
import dev.hapax.bench.OperationLoad;
import dev.hapax.bootstrap.config.JdbcTarget;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * One-time tasks of db-scheduler, with the settings its documentation recommends for throughput.
 */
final class SchedulerPeer implements Peer.Workloads {
  private static final int CONNECTIONS = 32;
  private static final int CALLERS = 32;
  private static final int THREADS = 50;
  private static final double FETCH_BELOW = 0.5;
  private static final double FETCH_UP_TO = 4.0;

  // the table of its documentation, without the index for priorities, which are off
  private static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS scheduled_tasks (
        task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,
        execution_time timestamptz, picked boolean NOT NULL, picked_by text,
        last_success timestamptz, last_failure timestamptz, consecutive_failures int,
        last_heartbeat timestamptz, version bigint NOT NULL, priority smallint, state text,
        PRIMARY KEY (task_name, task_instance));
      CREATE INDEX IF NOT EXISTS execution_time_idx ON scheduled_tasks (execution_time);
      CREATE INDEX IF NOT EXISTS last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
      """;

  private final ConcurrentMap<String, ClosedLoopLoad.Next> callers = new ConcurrentHashMap<>();
  private final ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
  private final OneTimeTask<String> task =
      Tasks.oneTime("order", String.class).execute((_, _) -> {});
  private final HikariDataSource pool;
  private final Scheduler scheduler;

  SchedulerPeer(JdbcTarget database) throws SQLException {
    this.pool = BenchPool.open(database, CONNECTIONS);
    BenchPool.execute(pool, TABLE);
    this.scheduler =
        Scheduler.create(pool, task)
            .threads(THREADS)
            .pollUsingLockAndFetch(FETCH_BELOW, FETCH_UP_TO)
            .pollingInterval(Duration.ofSeconds(1))
            .enableImmediateExecution()
            .addSchedulerListener(new Completions())
            .build();
    scheduler.start();
  }

  @Override
  public Map<String, Workload> all() {
    return Map.of("task", Workload.concurrent((_, next) -> threads.execute(() -> schedule(next))));
  }

  private void schedule(ClosedLoopLoad.Next next) {
    var id = OperationLoad.newKey();
    callers.put(id, next);
    try {
      scheduler.schedule(task.instance(id, OperationLoad.RESULT), Instant.now());
    } catch (RuntimeException e) {
      next.failed(e);
    }
  }

  /** Calls back when the row of a task is gone. */
  private final class Completions extends AbstractSchedulerListener {
    @Override
    public void onExecutionComplete(ExecutionComplete ended) {
      var caller = callers.remove(ended.getExecution().taskInstance.getId());
      if (caller == null) {
        return;
      }
      if (ended.getResult() == ExecutionComplete.Result.OK) {
        caller.done();
      } else {
        caller.failed(ended.getCause().orElseGet(() -> new IllegalStateException("a task failed")));
      }
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
    scheduler.stop();
    pool.close();
  }
}
