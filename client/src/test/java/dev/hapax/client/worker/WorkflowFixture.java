package dev.hapax.client.worker;

import dev.hapax.client.FakeHapax;
import dev.hapax.client.FakeRun;
import dev.hapax.client.ManualTiming;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.TimingClock;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RunStatus;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** A run of one code step, in the thread of the test; time stands still. */
final class WorkflowFixture implements AutoCloseable {

  static final String RUN = "run_1";

  final FakeHapax<ManualTiming> hapax = FakeHapax.still();

  /** The ids of the parts whose bodies ran. */
  final List<String> done = new CopyOnWriteArrayList<>();

  final AtomicInteger executions = new AtomicInteger();

  void start(Workflow<String> workflow) {
    start(workflow, builder -> builder);
  }

  void start(Workflow<String> workflow, UnaryOperator<WorkerBuilder> settings) {
    var unused = worker(workflow, settings);
    hapax.work.start("order", "orders/main");
  }

  /** The run begins with what was recorded before. */
  void resume(Runnable before, Workflow<String> workflow, UnaryOperator<WorkerBuilder> settings) {
    hapax.faults.before(
        "poll",
        () -> {
          hapax.work.start("order", "orders/main");
          before.run();
        });
    var unused = worker(workflow, settings);
  }

  private Worker worker(Workflow<String> workflow, UnaryOperator<WorkerBuilder> settings) {
    return settings
        .apply(hapax.worker().executor(Runnable::run).clock(new TimingClock(hapax.timing)))
        .workflow(
            "orders",
            "order",
            "main",
            PayloadCodec.json(),
            context -> {
              executions.incrementAndGet();
              return workflow.run(context);
            })
        .start();
  }

  String once(String partId) {
    done.add(partId.substring(partId.indexOf('/') + 1));
    return "\"" + partId + "\"";
  }

  FakeRun run() {
    return hapax.work.run(RUN);
  }

  RunStatus status() {
    return run().status;
  }

  List<FailTaskRequest> failures() {
    return hapax.work.requests(FailTaskRequest.class);
  }

  /** The code of the only failure of the task. */
  String failureCode() {
    return failures().size() == 1 ? failures().get(0).getFailure().getCode() : "" + failures();
  }

  List<PartRecord> reports() {
    return hapax.work.requests(RecordStepRequest.class).stream()
        .flatMap(request -> request.getPartsList().stream())
        .toList();
  }

  @Override
  public void close() {
    hapax.close();
  }
}
