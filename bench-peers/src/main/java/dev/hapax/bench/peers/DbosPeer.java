package dev.hapax.bench.peers;

import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;
import dev.hapax.bench.OperationLoad;
import dev.hapax.bootstrap.config.JdbcTarget;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/**
 * Workflows of DBOS, started directly, since on a queue they would wait for its next poll as well.
 * Callers and workflows have virtual threads, which gave the better rates.
 */
final class DbosPeer implements Peer.Workloads {
  // its own pool has ten; as many as there are clients of plain JDBC gave the better rates
  private static final int CONNECTIONS = 32;
  private static final int MANY_STEPS = 10;
  private static final String TOPIC = "confirmation";

  private final HikariDataSource pool;
  private final DBOS dbos;
  private final Orders orders;

  DbosPeer(JdbcTarget database) throws SQLException {
    this.pool = BenchPool.open(database, CONNECTIONS);
    this.dbos = new DBOS(DBOSConfig.defaults("bench").withDataSource(pool));
    this.orders = dbos.registerProxy(Orders.class, new DurableOrders(dbos));
    dbos.launch();
  }

  /** The workflows. */
  public interface Orders {
    String steps(int number);

    String confirmed();
  }

  /** What they do. */
  public record DurableOrders(DBOS dbos) implements Orders {
    @Override
    @Workflow
    public String steps(int number) {
      var result = "";
      for (var step = 1; step <= number; step++) {
        result = dbos.runStep(() -> OperationLoad.RESULT, "step-" + step);
      }
      return result;
    }

    @Override
    @Workflow
    public String confirmed() {
      var message = dbos.<String>recv(TOPIC, Duration.ofMinutes(1));
      return dbos.runStep(() -> message.orElseThrow(), "step-1");
    }
  }

  @Override
  public Map<String, Workload> all() {
    return Map.of(
        "one-step", Workload.onVirtualThreads(() -> run(1)),
        "ten-steps", Workload.onVirtualThreads(() -> run(MANY_STEPS)),
        "hook", Workload.onVirtualThreads(this::runWithMessage));
  }

  private void run(int steps) {
    var options = new StartWorkflowOptions(OperationLoad.newKey());
    check(dbos.startWorkflow(() -> orders.steps(steps), options).getResult());
  }

  private void runWithMessage() {
    var id = OperationLoad.newKey();
    var started = dbos.startWorkflow(orders::confirmed, new StartWorkflowOptions(id));
    dbos.send(id, OperationLoad.RESULT, TOPIC, id);
    check(started.getResult());
  }

  private static void check(String result) {
    if (!result.equals(OperationLoad.RESULT)) {
      throw new IllegalStateException("a workflow of DBOS returned " + result);
    }
  }

  @Override
  public void close() {
    dbos.shutdown();
    pool.close();
  }
}
