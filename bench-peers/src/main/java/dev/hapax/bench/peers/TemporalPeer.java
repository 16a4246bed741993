package dev.hapax.bench.peers;

import dev.hapax.bench.OperationLoad;
import io.temporal.activity.ActivityInterface;
import io.temporal.activity.ActivityOptions;
import io.temporal.activity.LocalActivityOptions;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.WorkerFactory;
import io.temporal.worker.WorkerFactoryOptions;
import io.temporal.worker.WorkerOptions;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;
import java.time.Duration;
import java.util.Map;

/**
 * Workflows of Temporal with one activity, on the server that was started by hand. Callers,
 * workflows and activities have virtual threads.
 */
final class TemporalPeer implements Peer.Workloads {
  // as many as the most callers
  private static final int TASKS = 256;
  private static final int POLLERS = 16;
  private static final Duration LONGEST_ACTIVITY = Duration.ofMinutes(1);

  // of this process alone: an interrupted bench leaves workflows in its queue
  private final String queue = "hapax-bench-" + OperationLoad.newKey();
  private final WorkflowServiceStubs connection;
  private final WorkflowClient client;
  private final WorkerFactory workers;

  TemporalPeer(String address) {
    this.connection =
        WorkflowServiceStubs.newServiceStubs(
            WorkflowServiceStubsOptions.newBuilder().setTarget(address).build());
    this.client = WorkflowClient.newInstance(connection);
    this.workers =
        WorkerFactory.newInstance(
            client, WorkerFactoryOptions.newBuilder().setUsingVirtualWorkflowThreads(true).build());
    var options =
        WorkerOptions.newBuilder()
            .setMaxConcurrentWorkflowTaskExecutionSize(TASKS)
            .setMaxConcurrentActivityExecutionSize(TASKS)
            .setMaxConcurrentLocalActivityExecutionSize(TASKS)
            .setMaxConcurrentWorkflowTaskPollers(POLLERS)
            .setMaxConcurrentActivityTaskPollers(POLLERS)
            .setUsingVirtualThreads(true)
            .build();
    var worker = workers.newWorker(queue, options);
    worker.registerWorkflowImplementationTypes(DurableOrder.class);
    worker.registerActivitiesImplementations(new PlacedOrder());
    workers.start();
  }

  /** The workflow. */
  @WorkflowInterface
  public interface Order {
    @WorkflowMethod
    String place(boolean isLocal);
  }

  /** Its step. */
  @ActivityInterface
  public interface Placement {
    String place();
  }

  /** What the workflow does. */
  public static final class DurableOrder implements Order {
    private final Placement activity =
        Workflow.newActivityStub(
            Placement.class,
            ActivityOptions.newBuilder().setStartToCloseTimeout(LONGEST_ACTIVITY).build());
    private final Placement localActivity =
        Workflow.newLocalActivityStub(
            Placement.class,
            LocalActivityOptions.newBuilder().setStartToCloseTimeout(LONGEST_ACTIVITY).build());

    @Override
    public String place(boolean isLocal) {
      return (isLocal ? localActivity : activity).place();
    }
  }

  /** What the step does. */
  public static final class PlacedOrder implements Placement {
    @Override
    public String place() {
      return OperationLoad.RESULT;
    }
  }

  @Override
  public Map<String, Workload> all() {
    return Map.of(
        "one-step", Workload.onVirtualThreads(() -> run(false)),
        "one-step-local", Workload.onVirtualThreads(() -> run(true)));
  }

  private void run(boolean isLocal) {
    var options =
        WorkflowOptions.newBuilder()
            .setWorkflowId(OperationLoad.newKey())
            .setTaskQueue(queue)
            .build();
    var result = client.newWorkflowStub(Order.class, options).place(isLocal);
    if (!result.equals(OperationLoad.RESULT)) {
      throw new IllegalStateException("a workflow of Temporal returned " + result);
    }
  }

  @Override
  public void close() {
    workers.shutdownNow();
    connection.shutdownNow();
  }
}
