package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Empty;
import dev.hapax.v1.Claim;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OpenPart;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PartState;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RecordedStep;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SettledCompletion;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.Task;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Runs of code whose parts fail now and then, and of which one must not happen twice. Some workers
 * die in its body, and an operator settles what they left. What a call did before its answer was
 * lost is found out by the same call.
 */
final class PartLoad implements AutoCloseable {
  private static final int PARTS = 5;
  private static final int WORKERS = 4;
  private static final String PAY = "pay";
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final int runs;
  private final List<RunCaller> callers = new ArrayList<>();
  private final Map<String, AtomicInteger> effects = new ConcurrentHashMap<>();
  private final AtomicInteger died = new AtomicInteger();
  private final AtomicInteger settled = new AtomicInteger();
  private final AtomicInteger completed = new AtomicInteger();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> work = new ArrayList<>();
  private volatile RunCaller caller;

  private PartLoad(int runs, RunCaller caller) {
    this.runs = runs;
    this.caller = caller;
  }

  static PartLoad start(int runs, RunCaller caller) {
    var load = new PartLoad(runs, caller);
    var code = PartCaller.code(Caller.seconds(2)).toBuilder();
    var unlimited = RetryPolicy.newBuilder().setMaxAttempts(-1).setMax(Caller.millis(1));
    code.getCodeBuilder().setRetry(unlimited).setPartRetry(unlimited);
    StepDefinition step = code.build();
    caller.define("order", step);
    for (var i = 0; i < runs; i++) {
      var key = "run-" + i;
      load.call(c -> c.send(c.start("order").setIdempotencyKey(key)));
    }
    for (var i = 0; i < WORKERS; i++) {
      var seed = i;
      load.work.add(load.threads.submit(() -> load.work("worker-" + seed, new Random(seed))));
    }
    load.work.add(load.threads.submit(load::settleDoubts));
    return load;
  }

  /** Sends further calls to another server. */
  void use(String target) {
    callers.add(caller);
    caller = caller.via(target);
  }

  int completed() {
    return completed.get();
  }

  int died() {
    return died.get();
  }

  int settled() {
    return settled.get();
  }

  private boolean isDone() {
    return completed.get() >= runs;
  }

  /** Repeats a call until a server answers. */
  private <A> A call(Function<RunCaller, A> call) {
    while (true) {
      try {
        return call.apply(caller);
      } catch (StatusRuntimeException e) {
        if (e.getStatus().getCode() != Code.UNAVAILABLE
            && e.getStatus().getCode() != Code.DEADLINE_EXCEEDED) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void work(String worker, Random random) {
    while (!isDone()) {
      PollTasksRequest poll = caller.polling(worker).setWait(Caller.seconds(1)).build();
      for (var task : call(c -> c.worker().pollTasks(poll)).getTasksList()) {
        execute(task, random);
      }
    }
  }

  /** One execution of the code; a lost claim ends it without a word. */
  private void execute(Task task, Random random) {
    var known =
        task.getRecordedList().stream()
            .map(RecordedStep::getName)
            .collect(Collectors.toCollection(HashSet::new));
    var open =
        task.getOpenPartsList().stream()
            .collect(Collectors.toMap(OpenPart::getName, Function.identity()));
    for (var i = 0; i < PARTS; i++) {
      var name = "part-" + i;
      var attempt = Optional.ofNullable(open.get(name)).map(OpenPart::getAttempts).orElse(0) + 1;
      for (; !known.contains(name); attempt++) {
        var report =
            random.nextInt(10) < 3
                ? PartCaller.failure(name, attempt)
                : PartCaller.output(name, "1");
        if (!isStored(task.getClaim(), report)) {
          return;
        }
        if (report.hasOutput()) {
          known.add(name);
        }
      }
    }
    if (known.contains(PAY) || pays(task, Optional.ofNullable(open.get(PAY)), random)) {
      if (call(c -> c.complete(task.getClaim(), "1")).hasCompleted()) {
        completed.incrementAndGet();
      }
    }
  }

  private boolean isStored(Claim claim, PartRecord report) {
    return call(c -> new PartCaller(c).send(claim, report)).hasParts();
  }

  /** Whether the payment is recorded. */
  private boolean pays(Task task, Optional<OpenPart> before, Random random) {
    var claim = task.getClaim();
    if (before.filter(part -> part.getState() == PartState.PART_STATE_BEGUN).isPresent()) {
      doubt(claim);
      return false;
    }
    var begun = call(c -> new PartCaller(c).send(claim, PartCaller.begin(PAY)));
    if (!begun.hasParts()) {
      return false;
    }
    if (begun.getParts().getResults(0).getBegun().getInDoubt()) {
      doubt(claim);
      return false;
    }
    effects.computeIfAbsent(task.getRun().getId(), _ -> new AtomicInteger()).incrementAndGet();
    if (random.nextInt(10) < 2) {
      died.incrementAndGet();
      return false;
    }
    return isStored(claim, PartCaller.output(PAY, "1"));
  }

  private void doubt(Claim claim) {
    var failure = caller.failure(claim, FailureKind.FAILURE_KIND_UNKNOWN_EFFECT);
    failure.getFailureBuilder().setPart(PAY);
    var _ = call(c -> c.worker().failTask(failure.build()));
  }

  /** Settles each doubtful payment by whether it happened. */
  private void settleDoubts() {
    while (!isDone()) {
      for (var run : call(RunCaller::list)) {
        if (run.getStatus() == RunStatus.RUN_STATUS_FAILED) {
          settle(run);
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void settle(Run run) {
    assertThat(run.getFailure().getCode()).isEqualTo("UNKNOWN_EFFECT");
    assertThat(run.getFailure().getPart()).isEqualTo(PAY);
    var paid = effects.getOrDefault(run.getId(), new AtomicInteger()).get() > 0;
    var request =
        new PartCaller(caller)
            .settlement(run.getId(), PAY)
            .setExpectedVersion(run.getVersion())
            .setRequestId("settle-" + run.getVersion());
    if (paid) {
      request.setComplete(SettledCompletion.newBuilder().setOutput(Caller.json("1")));
    } else {
      request.setRepeat(Empty.getDefaultInstance());
    }
    var _ = call(c -> c.runs().settleStep(request.build()));
    settled.incrementAndGet();
  }

  /** Waits for all runs, and holds what happened against their histories. */
  void finish() throws ExecutionException, InterruptedException {
    Condition.await("all runs are completed", Condition.MUCH_WORK, this::isDone);
    for (var each : work) {
      each.get();
    }
    var ended = caller.list();
    assertThat(ended).hasSize(runs);
    for (var run : ended) {
      assertThat(run.getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
      assertThat(effects.get(run.getId())).as(run.getId()).hasValue(1);
      check(caller.events(run.getId()));
    }
  }

  /** Each part has an output once, and its failures are counted without a gap. */
  private static void check(List<RunEvent> events) {
    var failures = new HashMap<String, List<Integer>>();
    var outputs = new ArrayList<String>();
    for (var event : events) {
      if (event.hasPartFailed()) {
        var failed = event.getPartFailed();
        assertThat(outputs).doesNotContain(failed.getName());
        failures.computeIfAbsent(failed.getName(), _ -> new ArrayList<>()).add(failed.getAttempt());
      } else if (event.hasStepRecorded()) {
        outputs.add(event.getStepRecorded().getName());
      } else if (event.hasStepSettled() && event.getStepSettled().hasComplete()) {
        outputs.add(event.getStepSettled().getPart());
      }
    }
    assertThat(outputs).doesNotHaveDuplicates().hasSize(PARTS + 1);
    failures
        .values()
        .forEach(
            attempts ->
                assertThat(attempts)
                    .isEqualTo(IntStream.rangeClosed(1, attempts.size()).boxed().toList()));
  }

  @Override
  public void close() {
    threads.shutdownNow();
    callers.forEach(RunCaller::close);
  }
}
