package dev.hapax.client;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.hapax.client.internal.Ranges;
import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordedStep;
import dev.hapax.v1.SignalOutput;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A step of a run that this worker holds.
 *
 * <p>A code step is <em>executed</em> again from its beginning after every wait or failure, on any
 * worker, and continues where it stopped: what it has recorded is not done again. Code outside of
 * parts should have no effects, and depend on nothing but the input and the records.
 *
 * <p>Every part and every wait has a name, the same in every execution: not empty, without {@code
 * /}, and not ending in {@code #} and digits. A name that is used again in sequence becomes {@code
 * name#2}, {@code name#3} and so on. Beside other parts that run at the same time it fails the run
 * with {@code STEP_NAME_AMBIGUOUS}, as the order could change: use different names, or {@link
 * #map}. Names have at most 255 characters, with the names of the branches that they are in.
 *
 * <p>{@link #record} may be called from any thread, {@link #suspend} and {@link #awaitSignal} only
 * from that of the handler. When the handler returns, throws or waits, the worker first lets the
 * running bodies of parts end, and records them. A wait, or a longer pause before a part is
 * attempted again, ends the execution by an {@link Error}: do not catch {@code Throwable} or {@code
 * Error} around these methods, and do not rely on {@code finally} to run only at the end. They
 * throw {@link HapaxException.ClaimLost} when the task is lost, {@link HapaxException.Unavailable}
 * when Hapax is unreachable, and {@link FinalFailure} when Hapax rejects the record; do not catch
 * them.
 *
 * <p>Before a body runs for the first time or a wait begins, the worker checks that the code has
 * asked for the sequential records of earlier executions: see {@link OnCodeChange}.
 */
public final class Task {

  private static final String HOOK = "hook/";
  private static final int BRANCHES = 10;
  private static final int MAX_BRANCHES = 10_000;
  private static final int MAX_DETAILS = 4096;

  private final Execution execution;
  private final ExecutionEnding ending;
  private final PartScope names;
  private final Waits waits;
  private final boolean isBranch;
  private final Patches patches;

  /**
   * Begins with no name used.
   *
   * @param prefix of the full names
   * @param parent the end of what a branch belongs to; null = of the handler
   */
  Task(Execution execution, String prefix, @Nullable ExecutionEnding parent) {
    this.execution = execution;
    this.ending = new ExecutionEnding(parent);
    this.names = new PartScope(prefix, execution.known());
    this.waits = new Waits(execution, names, ending);
    this.isBranch = parent != null;
    this.patches = new Patches(execution, prefix);
  }

  /** The end of this execution that its code has not reached, if it has one. */
  ExecutionEnding ending() {
    return ending;
  }

  /** The id of the run. */
  public String runId() {
    return message().getRun().getId();
  }

  /**
   * The id of the step: globally unique, and the same on every attempt. Give it to other systems as
   * the idempotency key.
   */
  public String stepId() {
    return message().getStep().getId();
  }

  /** The name of the step in its definition. */
  public String stepName() {
    return message().getStep().getName();
  }

  /**
   * The number of the attempt, from 1. It rises after a failure or a lost lease, not after a wait.
   */
  public int attempt() {
    return message().getStep().getAttempt();
  }

  /** Whether the run fails if this attempt does: no attempt of the step is left. */
  public boolean isLastAttempt() {
    return message().getLastAttempt();
  }

  /**
   * The claim of the task, with its fence and its loss. It is lost if the run was cancelled, if
   * another worker has the step, or if renewals failed for the whole lease.
   */
  public Claim claim() {
    return execution.claim();
  }

  /** The input of the run; null if it has none. */
  public <T> T input(Class<T> type) {
    return input(Codec.json(type));
  }

  /** The input of the run. */
  public <T extends @Nullable Object> T input(Codec<T> codec) {
    return read(codec, message().hasInput() ? message().getInput() : null);
  }

  /** The run's state at the grant of the task. */
  public <T> T state(Class<T> type) {
    return state(Codec.json(type));
  }

  /** The run's state at the grant of the task: a JSON object. */
  public <T extends @Nullable Object> T state(Codec<T> codec) {
    String json = message().getState().getJson();
    return read(codec, Payloads.json(json.isEmpty() ? "{}" : json));
  }

  /** The output of the previous step; null if there is none. */
  public <T> T previousOutput(Class<T> type) {
    return previousOutput(Codec.json(type));
  }

  /** The output of the previous step. */
  public <T extends @Nullable Object> T previousOutput(Codec<T> codec) {
    return read(codec, message().getRun().hasOutput() ? message().getRun().getOutput() : null);
  }

  /** As {@link #signalOutput(String, Codec)}, with JSON. */
  public <T> T signalOutput(String stepName, Class<T> type) {
    return signalOutput(stepName, Codec.json(type));
  }

  /**
   * The payload of the signal that an earlier signal step received.
   *
   * @throws IllegalArgumentException if the task has no output of such a step
   */
  public <T extends @Nullable Object> T signalOutput(String stepName, Codec<T> codec) {
    SignalOutput found =
        message().getSignalOutputsList().stream()
            .filter(output -> output.getStepName().equals(stepName))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        message().getMoreSignalOutputs()
                            ? "the output of step " + stepName + " did not fit into the task"
                            : "no earlier signal step is named " + stepName));
    return read(codec, found.hasOutput() ? found.getOutput() : null);
  }

  /** The failure of the previous attempt, from the second one on. */
  public Optional<Failure> previousFailure() {
    return message().getStep().hasFailure()
        ? Optional.of(new Failure(message().getStep().getFailure()))
        : Optional.empty();
  }

  /** As {@link #lastDetails(Codec)}, with JSON. */
  public <T> T lastDetails(Class<T> type) {
    return lastDetails(Codec.json(type));
  }

  /**
   * The details that were last reported about this step by {@link #heartbeat}, also in an attempt
   * that was lost; null if there are none.
   */
  public <T extends @Nullable Object> T lastDetails(Codec<T> codec) {
    return message().hasLastDetails()
        ? decode(codec, message().getLastDetails())
        : read(codec, null);
  }

  /** As {@link #heartbeat(Codec, Object)}, with JSON or a {@link Value}. */
  public void heartbeat(Object details) {
    heartbeat(Codec.ofAny(), details);
  }

  /**
   * Reports details about the progress, such as the number of the last row that was done, for the
   * next attempt. They are sent with the next renewal of the lease, at a third of it, or before a
   * failure; only the last ones are kept. So it is cheap to call it often. They are dropped when
   * the step is done. A code step rather records parts.
   *
   * @param details at most 4 KiB
   * @throws HapaxException.ClaimLost if the task is lost: then stop
   */
  public <T extends @Nullable Object> void heartbeat(Codec<T> codec, T details) {
    Payload payload = Payloads.of(codec.write(details, execution.connection().json()));
    Ranges.within("the size of the details", Payloads.bytes(payload), 0, MAX_DETAILS);
    claim().throwIfLost();
    claim().details().put(payload == null ? Payloads.NULL : payload);
  }

  /**
   * The remaining time of the attempt; empty if its step has no timeout. At its end the task is
   * lost.
   */
  public Optional<Duration> attemptRemaining() {
    return Optional.ofNullable(claim().lease().attemptLeft());
  }

  /** The run's inbox at the grant of the task, oldest first: the first 100 signals. */
  public List<Signal> signals() {
    return message().getSignalsList().stream().map(Signal::new).toList();
  }

  /** The task as Hapax sent it. */
  public dev.hapax.v1.Task message() {
    return execution.message();
  }

  /** As {@link #record(String, PartOptions, Part)}, with the default options. */
  public <T> T record(String name, Class<T> type, Part<? extends T> body) {
    return record(name, PartOptions.of(type), body);
  }

  /** As {@link #record(String, PartOptions, Part)}, with the default options. */
  public <T extends @Nullable Object> T record(
      String name, Codec<T> codec, Part<? extends T> body) {
    return record(name, PartOptions.of(codec), body);
  }

  /** As {@link #record(String, PartOptions, Part)}, without an output. */
  public void record(String name, VoidPart body) {
    var unused =
        this.<@Nullable Void>record(
            name,
            Codec.none(),
            id -> {
              body.run(id);
              return null;
            });
  }

  /**
   * Runs the body unless its output is recorded, and records the output. The body does not run in
   * later executions.
   *
   * <p>An exception of the body is a failed attempt of the part; Hapax decides whether another one
   * follows, by the policy of the part. A pause of at most 5 s is waited for in place; for a longer
   * one this execution ends, and the next one continues here. Such attempts do not use up those of
   * the step. {@link FinalFailure} is not retried.
   *
   * @return the recorded output, at most 256 KiB; it is read also in the first execution
   * @throws HapaxException.PartFailed if the part failed for good, in each execution
   * @throws IllegalStateException if the handler has ended
   */
  public <T extends @Nullable Object> T record(
      String name, PartOptions<T> options, Part<? extends T> body) {
    Payload output =
        inPart(
            () -> names.begin(name),
            use -> new PartRun<T>(execution, names, use, ending, options, body).output());
    return decode(options.codec(), output);
  }

  /** Runs something durable; the execution does not end before it. */
  private <R> R inPart(Supplier<PartScope.Use> begin, Function<PartScope.Use, R> work) {
    checkActive();
    execution.beginPart();
    try (PartScope.Use use = begin.get()) {
      return work.apply(use);
    } finally {
      execution.endPart();
    }
  }

  /** Stops an execution that continues after its end, and frees closed hooks. */
  private void checkActive() {
    ending.check();
    execution.dispose();
  }

  /**
   * Suspends this execution; the next one continues here when the time has passed. It occupies no
   * worker meanwhile. Zero or less is no wait.
   *
   * @param duration at most 365 days; measured by Hapax, exact to about a second
   */
  public void suspend(String name, Duration duration) {
    try (PartScope.Use use = beginWait(name)) {
      waits.suspend(use, duration);
    }
  }

  /** As {@link #suspend(String, Duration)}, until a time, which may have passed. */
  public void suspend(String name, Instant until) {
    suspend(name, Duration.between(execution.now(), until));
  }

  /** Awaits a signal of the type {@code name}; see {@link #awaitSignal(Wait)}. */
  public <T> T awaitSignal(String name, Class<T> type) {
    return awaitSignal(Wait.signal(name, type));
  }

  /** Awaits a signal of the type {@code name}; see {@link #awaitSignal(Wait)}. */
  public <T extends @Nullable Object> T awaitSignal(String name, Codec<T> codec) {
    return awaitSignal(Wait.signal(name, codec));
  }

  /**
   * Consumes the oldest matching signal of the run's inbox. Without one, it suspends this
   * execution, and the next one continues here when a signal has arrived.
   *
   * @return the payload; null if it has none
   */
  public <T extends @Nullable Object> T awaitSignal(Wait<T> wait) {
    return decode(wait.codec(), signal(wait, null));
  }

  /**
   * As {@link #awaitSignal(Wait)}, for at most this time.
   *
   * @param timeout at most 365 days
   * @return empty = no signal has arrived in time
   */
  public <T> Optional<T> awaitSignal(Wait<T> wait, Duration timeout) {
    Payload payload = signal(wait, timeout);
    return payload.equals(Waits.TIMED_OUT)
        ? Optional.empty()
        : Optional.ofNullable(decode(wait.codec(), payload));
  }

  private Payload signal(Wait<?> wait, @Nullable Duration timeout) {
    try (PartScope.Use use = beginWait(wait.name())) {
      return waits.signal(use, wait, timeout);
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

  /** As {@link #map(String, List, Function, int, MapBranch)}, with 10 branches at once. */
  public <I extends @Nullable Object, T extends @Nullable Object, E extends Exception> List<T> map(
      String name,
      List<? extends I> items,
      Function<? super I, String> key,
      MapBranch<? super I, ? extends T, E> work)
      throws E {
    return map(name, items, key, BRANCHES, work);
  }

  /**
   * Runs a branch for each item, several at once, on this thread and those of the worker's
   * executor. The parts of a branch have the full names {@code <name>/<key>/<part>}. After a
   * failure no other branch begins, and the running ones end first.
   *
   * @param key of an item: different for each, the same in every execution, not empty, without
   *     {@code /}; otherwise the run fails with {@code MAP_KEY_INVALID}
   * @param concurrency the largest number of branches at once. 1 to 10,000
   * @param work may call {@link #record}, {@link #map}, {@link #patched} and {@link #setState} of
   *     its own task. A wait in it fails the run with {@code WAIT_IN_BRANCH}
   * @return the values in the order of the items
   * @throws E the first failure in the order of the items
   */
  public <I extends @Nullable Object, T extends @Nullable Object, E extends Exception> List<T> map(
      String name,
      List<? extends I> items,
      Function<? super I, String> key,
      int concurrency,
      MapBranch<? super I, ? extends T, E> work)
      throws E {
    List<T> values = new ArrayList<>();
    for (BranchOutcome<T> outcome :
        this.<I, T, E>branches(name, items, key, concurrency, work, false)) {
      if (outcome instanceof BranchOutcome.Returned<T> branch) {
        values.add(branch.value());
      }
    }
    return values;
  }

  /**
   * As {@link #map(String, List, Function, int, MapBranch)}, but a failed branch stops no other.
   *
   * @return the values and exceptions in the order of the items
   */
  public <I extends @Nullable Object, T extends @Nullable Object> List<BranchOutcome<T>> mapSettled(
      String name,
      List<? extends I> items,
      Function<? super I, String> key,
      int concurrency,
      MapBranch<? super I, ? extends T, ?> work) {
    return this.<I, T, RuntimeException>branches(name, items, key, concurrency, work, true);
  }

  private <I extends @Nullable Object, T extends @Nullable Object, E extends Exception>
      List<BranchOutcome<T>> branches(
          String name,
          List<? extends I> items,
          Function<? super I, String> key,
          int concurrency,
          MapBranch<? super I, ? extends T, ?> work,
          boolean settled)
          throws E {
    Ranges.within("concurrency", concurrency, 1, MAX_BRANCHES);
    checkActive();
    try (PartScope.Use use = names.begin(name)) {
      return new Branches<I, T>(execution, ending, use.name(), items, key, work, settled)
          .<E>run(concurrency);
    }
  }

  /**
   * Whether this run has the changed code. True if no sequential record of earlier executions is
   * left that the code has not asked for; the answer is then recorded, so it stays true. In a run
   * that older code took further than this place, it is false.
   *
   * <pre>{@code
   * if (task.patched("fraud-check")) {
   *   task.record("fraud-check", id -> check(id, order));
   * }
   * }</pre>
   *
   * <p>Remove the call when no older run is left.
   *
   * @param name of the change
   */
  public boolean patched(String name) {
    String full = names.fullName("patched/" + PartScope.checked(name));
    checkActive();
    return patches.has(full);
  }

  /**
   * Changes a member of the run's state with the next output that is recorded, or when this
   * execution ends or waits. A second change of a member replaces the first.
   *
   * @param value its JSON is merged into the member by RFC 7396; null removes it
   */
  public void patchState(String member, @Nullable Object value) {
    execution.patch().put(member, execution.member(member, value));
  }

  /**
   * As {@link #patchState}, recorded at once: the change is durable when this returns. It is a part
   * with the name {@code state}, so it is sent once.
   *
   * @param members values by the name of the member; null removes it
   */
  public void setState(Map<String, ? extends @Nullable Object> members) {
    Map<String, String> changes = new LinkedHashMap<>();
    members.forEach((member, value) -> changes.put(member, execution.member(member, value)));
    var unused =
        inPart(
            () -> names.begin("state"),
            use -> {
              if (use.find(false).isEmpty()) {
                execution.checkFits(names, ending, use.name());
                var unusedToo =
                    execution.reports().report(List.of(use.record(Payloads.NULL)), changes);
              }
              execution.patch().replaced(changes.keySet());
              return use;
            });
  }

  /**
   * Requests a token for the run, if this task is still held. The same request on a later attempt
   * succeeds again. A code step rather takes {@link #hook}.
   *
   * @throws HapaxException.ClaimLost if the task is lost
   */
  public HookAnswer createHook(HookRequest request) {
    return new HookAnswer(execution.createHook(request));
  }

  /** As {@link #hook(HookRequest, Codec)}, for signals with JSON. */
  public <T> TaskHook<T> hook(HookRequest request, Class<T> type) {
    return hook(request, Codec.json(type));
  }

  /**
   * Requests a token for the run, and records the answer. Ask once for a token in an execution.
   *
   * @param codec of the payloads of the signals
   */
  public <T extends @Nullable Object> TaskHook<T> hook(HookRequest request, Codec<T> codec) {
    String name = HOOK + request.fingerprint();
    Payload answer =
        inPart(
            () -> names.beginInternal(name),
            use ->
                use.find(false)
                    .map(RecordedStep::getOutput)
                    .orElseGet(() -> new HookPart(execution, names, ending, use).ask(request)));
    try {
      return new TaskHook<>(
          this,
          request,
          name,
          codec,
          new HookAnswer(CreateHookResponse.parseFrom(answer.getBinary())));
    } catch (InvalidProtocolBufferException unreadable) {
      throw new FinalFailure(
          "NOT_A_HOOK", "the recorded step is not a hook; keep step names stable", unreadable);
    }
  }

  void disposeLater(String token) {
    execution.disposeLater(token);
  }

  /** What Hapax stores of an output of the step. */
  <T extends @Nullable Object> @Nullable Value stored(Codec<T> codec, T output) {
    return execution.stored("step " + stepName(), codec, output);
  }

  private <T extends @Nullable Object> T read(Codec<T> codec, @Nullable Payload stored) {
    return execution.connection().read(codec, stored);
  }

  /** JSON {@code null} as a signal's payload or a part's output is no value. */
  private <T extends @Nullable Object> T decode(Codec<T> codec, Payload stored) {
    return read(codec, stored.equals(Payloads.NULL) ? null : stored);
  }
}
