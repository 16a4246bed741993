package dev.hapax.client.worker;

import dev.hapax.client.FinalFailure;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.internal.Limits;
import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordedStep;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The durable operations of a workflow, or of a branch of it, whose names share a prefix. */
final class WorkflowScope {

  private static final String HOOK = "hook/";
  private static final Payload TRUE = Payload.newBuilder().setJson("true").build();
  private static final int MAX_BRANCHES = 10_000;

  private final Execution execution;
  private final ExecutionEnding ending;
  private final PartScope names;
  private final Waits waits;
  private final boolean isBranch;
  private final Map<String, Boolean> patched = new ConcurrentHashMap<>();

  /**
   * Begins with nothing used.
   *
   * @param prefix of the full names
   * @param parent the end of what a branch belongs to; null = of a workflow
   */
  WorkflowScope(Execution execution, String prefix, @Nullable ExecutionEnding parent) {
    this.execution = execution;
    this.ending = new ExecutionEnding(parent);
    this.names = new PartScope(prefix, execution.known());
    this.waits = new Waits(execution, names, ending);
    this.isBranch = parent != null;
  }

  Execution execution() {
    return execution;
  }

  /** The end of this execution that its code has not reached, if it has one. */
  ExecutionEnding ending() {
    return ending;
  }

  /** Runs something durable; the execution does not end before it. */
  private <R> R inPart(Supplier<PartScope.Use> begin, Function<PartScope.Use, R> work) {
    checkActive();
    execution.task().runningParts().begin();
    try (PartScope.Use use = begin.get()) {
      return work.apply(use);
    } finally {
      execution.task().runningParts().end();
    }
  }

  /** Stops an execution that continues after its end, and frees closed hooks. */
  private void checkActive() {
    ending.check();
    execution.dispose();
  }

  /** Returns the recorded output of a part. */
  <T extends @Nullable Object> Payload record(
      String name,
      PayloadCodec<T> codec,
      PartBody<? extends T> body,
      PartOptions options,
      @Nullable PartVerifier<T> verifier) {
    return inPart(
        () -> names.begin(name),
        use ->
            new PartRun<T>(execution, names, use, ending, codec, body, options, verifier).output());
  }

  /** Records a change of the run's state. */
  void setState(Map<String, String> changes) {
    var unused =
        inPart(
            () -> names.begin("state"),
            use -> {
              if (use.find(false).isEmpty()) {
                execution.checkFits(names, ending, use.name());
                var unusedToo = execution.reports().report(List.of(output(use, null)), changes);
              }
              execution.patch().replaced(changes.keySet());
              return use;
            });
  }

  private static PartRecord output(PartScope.Use use, @Nullable Payload output) {
    return new PartMessages(use.name(), PartOptions.DEFAULT)
        .output(output, use.isOverlapped(), null);
  }

  /** Runs the branches of a map, and returns their outcomes in the order of the items. */
  <I extends @Nullable Object, T extends @Nullable Object, E extends Exception>
      List<BranchOutcome<T>> branches(
          String name,
          List<? extends I> items,
          Function<? super I, String> key,
          int concurrency,
          MapBranch<? super I, ? extends T, ?> work,
          boolean settled)
          throws E {
    Limits.within("concurrency", concurrency, 1, MAX_BRANCHES);
    checkActive();
    try (PartScope.Use use = names.begin(name)) {
      return new Branches<I, T>(execution, ending, use.name(), items, key, work, settled)
          .<E>run(concurrency);
    }
  }

  /** Whether the run has the changed code. */
  boolean patched(String name) {
    String full = names.fullName("patched/" + PartScope.checked(name));
    checkActive();
    execution.task().runningParts().begin();
    try {
      return patched.computeIfAbsent(full, this::isPatched);
    } finally {
      execution.task().runningParts().end();
    }
  }

  private boolean isPatched(String name) {
    if (execution.known().find(name).isPresent()) {
      return true;
    }
    boolean fits = execution.known().leftOver(names.prefix()).isEmpty();
    if (fits) {
      PartMessages messages = new PartMessages(name, PartOptions.DEFAULT);
      var unused = execution.reports().report(messages.output(TRUE, true, null));
    }
    return fits;
  }

  /** Waits for a time. */
  void suspend(String name, Duration duration) {
    try (PartScope.Use use = beginWait(name)) {
      waits.suspend(use, duration);
    }
  }

  /**
   * Waits for a signal.
   *
   * @param timeout null = none
   * @return its payload, or {@link Waits#TIMED_OUT}
   */
  Payload awaitSignal(String name, AwaitedSignal awaited, @Nullable Duration timeout) {
    try (PartScope.Use use = beginWait(name)) {
      return waits.signal(use, awaited, timeout);
    }
  }

  private PartScope.Use beginWait(String name) {
    checkActive();
    if (isBranch) {
      throw new FinalFailure(
          "WAIT_IN_BRANCH",
          "a branch of map() cannot wait for time or signals (wait `"
              + name
              + "`); wait outside of it");
    }
    return name.startsWith(HOOK) ? names.beginInternal(name) : names.begin(name);
  }

  /** The name of the record of a token. */
  static String hookName(HookRequest request) {
    return HOOK + request.fingerprint();
  }

  /** Requests a token, and returns the recorded answer. */
  Payload hook(HookRequest request) {
    return inPart(
        () -> names.beginInternal(hookName(request)),
        use -> use.find(false).map(RecordedStep::getOutput).orElseGet(() -> create(request, use)));
  }

  private Payload create(HookRequest request, PartScope.Use use) {
    execution.checkFits(names, ending, use.name());
    Payload answer = TaskHooks.encode(execution.task().createHook(request));
    return execution.reports().report(output(use, answer)).getRecorded().getOutput();
  }
}
