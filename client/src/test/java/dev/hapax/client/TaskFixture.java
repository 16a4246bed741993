package dev.hapax.client;

import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * A worker whose handlers run on the thread that polls; time stands still. After each step of a
 * test the worker comes to rest: it polls, or sleeps.
 */
final class TaskFixture implements AutoCloseable {

  static final String RUN = "run_1";
  static final Codec<String> JSON = Codec.jsonText();

  final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  final Hapax client =
      Hapax.builder().channel(hapax.channel).timing(hapax.timing).connect();

  /** The names of the parts whose bodies ran. */
  final List<String> done = new CopyOnWriteArrayList<>();

  final AtomicInteger executions = new AtomicInteger();
  private volatile boolean isWorking;

  TaskFixture() {
    hapax.timing.afterEach(this::settle);
  }

  Worker.Builder worker() {
    return client.worker().executor(Runnable::run).clock(new TimingClock(hapax.timing));
  }

  Worker begin(Worker.Builder builder) {
    Worker worker = builder.start();
    isWorking = true;
    settle();
    return worker;
  }

  /** Waits until the worker rests. */
  void settle() {
    if (isWorking && !Thread.currentThread().getName().startsWith("hapax-poll-")) {
      Conditions.until(() -> hapax.work.isPolled() || hapax.timing.isAsleep());
    }
  }

  void advance(Duration by) {
    hapax.timing.advance(by);
    settle();
  }

  String run(String... steps) {
    String id = hapax.work.start("order", steps);
    settle();
    return id;
  }

  void signal(dev.hapax.v1.Signal signal) {
    hapax.work.signal(RUN, signal);
    settle();
  }

  /** The handler of a code step. */
  interface Code {
    String run(Task task) throws Exception;
  }

  void start(Code code) {
    start(code, UnaryOperator.identity());
  }

  void start(Code code, UnaryOperator<Worker.Builder> settings) {
    var unused = begin(settings.apply(worker()).step("orders", "order", "main", handler(code)));
    run("orders/main");
  }

  /** The run begins with what was recorded before. */
  void resume(Runnable before, Code code, UnaryOperator<Worker.Builder> settings) {
    hapax.faults.before(
        "poll",
        () -> {
          hapax.work.start("order", "orders/main");
          before.run();
        });
    var unused = begin(settings.apply(worker()).step("orders", "order", "main", handler(code)));
  }

  private Handler handler(Code code) {
    return task -> {
      executions.incrementAndGet();
      return new Value.Json(code.run(task));
    };
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
    client.close();
    hapax.close();
  }
}
