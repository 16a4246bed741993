package dev.hapax.client.worker;

import dev.hapax.client.FinalFailure;
import dev.hapax.client.HapaxException;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.v1.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The durable operations of a {@link Workflow}. Every part and every wait has a name, the same in
 * every execution: not empty, without {@code /}, and not ending in {@code #} and digits. A name
 * that is used again in sequence becomes {@code name#2}, {@code name#3} and so on. Beside other
 * parts that run at the same time it ends the run as FAILED with {@code STEP_NAME_AMBIGUOUS}, as
 * the order could change: use different names, or {@link #map}. Names have at most 255 characters,
 * with the names of the branches that they are in.
 *
 * <p>{@link #record} may be called from any thread, {@link #suspend} and {@link #awaitSignal} only
 * from that of the workflow. When the workflow returns, throws or waits, the worker first lets the
 * running bodies of parts end, and records them. These methods throw {@link TaskLostException} when
 * the task is lost, {@link HapaxException.Unavailable} when Hapax is unreachable, and {@link
 * FinalFailure} when Hapax rejects the record; do not catch them.
 *
 * <p>Before a body runs for the first time or a wait begins, the worker checks that the code has
 * asked for the sequential records of earlier executions: see {@link OnCodeChange}.
 */
public final class WorkflowContext {

  private static final int BRANCHES = 10;

  private final WorkflowScope scope;

  WorkflowContext(WorkflowScope scope) {
    this.scope = scope;
  }

  /** The task of this execution, with its attempt and its loss. */
  public TaskContext task() {
    return scope.execution().task();
  }

  /** The input of the run; see {@link TaskContext#input}. */
  public <T extends @Nullable Object> T input(PayloadCodec<T> codec) {
    return task().input(codec);
  }

  /** The run's state at the begin of this execution: a JSON object. */
  public String state() {
    return task().state();
  }

  /**
   * Changes a member of the run's state with the next output that is recorded, or when this
   * execution ends or waits. A second change of a member replaces the first.
   *
   * @param json merged into the member by RFC 7396; {@code null} removes it
   */
  public void patchState(String member, String json) {
    scope.execution().patch().put(member, json);
  }

  /**
   * As {@link #patchState}, recorded at once: the change is durable when this returns. It is a part
   * with the name {@code state}, so it is sent once.
   *
   * @param members JSON texts by the name of the member; {@code null} removes it
   */
  public void setState(Map<String, String> members) {
    scope.setState(Map.copyOf(members));
  }

  /** A part with a JSON output; see {@link #record(String, PayloadCodec, PartBody)}. */
  public String record(String name, PartBody<String> body) {
    return record(name, PayloadCodec.json(), body);
  }

  /** As {@link #record(String, PayloadCodec, PartBody, PartOptions)}, with the default options. */
  public <T extends @Nullable Object> T record(
      String name, PayloadCodec<T> codec, PartBody<? extends T> body) {
    return record(name, codec, body, PartOptions.DEFAULT);
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
   * @param codec of the output, at most {@link PayloadCodec#MAX_BYTES}
   * @return the recorded output, decoded also in the first execution
   * @throws PartFailedException if the part failed for good, in each execution
   * @throws IllegalStateException if the workflow has ended
   */
  public <T extends @Nullable Object> T record(
      String name, PayloadCodec<T> codec, PartBody<? extends T> body, PartOptions options) {
    return decode(codec, scope.record(name, codec, body, options, null));
  }

  /** As {@link #record(String, PayloadCodec, PartBody, PartOptions)}, with a verifier. */
  public <T extends @Nullable Object> T record(
      String name,
      PayloadCodec<T> codec,
      PartBody<? extends T> body,
      PartOptions.Verified<T> options) {
    return decode(codec, scope.record(name, codec, body, options.options(), options.verifier()));
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
   *     {@code /}; otherwise the run is FAILED with {@code MAP_KEY_INVALID}
   * @param concurrency the largest number of branches at once. 1 to 10,000
   * @param work may call {@link #record}, {@link #map}, {@link #patched} and {@link #setState} of
   *     its own context. A wait in it ends the run as FAILED with {@code WAIT_IN_BRANCH}
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
        scope.<I, T, E>branches(name, items, key, concurrency, work, false)) {
      if (outcome instanceof BranchOutcome.Value<T> branch) {
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
    return scope.<I, T, RuntimeException>branches(name, items, key, concurrency, work, true);
  }

  /**
   * Whether this run has the changed code. True if no sequential record of earlier executions is
   * left that the code has not asked for; the answer is then recorded, so it stays true. In a run
   * that older code took further than this place, it is false.
   *
   * <pre>{@code
   * if (context.patched("fraud-check")) {
   *   context.record("fraud-check", partId -> check(partId, order));
   * }
   * }</pre>
   *
   * <p>Remove the call when no older run is left.
   *
   * @param name of the change
   */
  public boolean patched(String name) {
    return scope.patched(name);
  }

  /**
   * Suspends this execution; the next one continues here when the time has passed. It occupies no
   * worker meanwhile. Zero or less is no wait.
   *
   * @param duration at most 365 days; measured by Hapax, exact to about a second
   */
  public void suspend(String name, Duration duration) {
    scope.suspend(name, duration);
  }

  /**
   * As {@link #awaitSignal(String, AwaitedSignal, PayloadCodec)}, for a type, which is also the
   * name.
   */
  public <T extends @Nullable Object> T awaitSignal(String type, PayloadCodec<T> codec) {
    return awaitSignal(type, AwaitedSignal.ofType(type), codec);
  }

  /**
   * Consumes the oldest matching signal of the run's inbox. Without one, it suspends this
   * execution, and the next one continues here when a signal has arrived.
   *
   * @return the payload; void if it has none
   */
  public <T extends @Nullable Object> T awaitSignal(
      String name, AwaitedSignal awaited, PayloadCodec<T> codec) {
    return decode(codec, scope.awaitSignal(name, awaited, null));
  }

  /**
   * As {@link #awaitSignal(String, AwaitedSignal, PayloadCodec)}, with a timeout. It records the
   * deadline as {@code <name>.deadline}.
   *
   * @param timeout at most 365 days
   * @return empty = the wait timed out; later signals stay in the inbox
   */
  public <T> Optional<T> awaitSignal(
      String name, AwaitedSignal awaited, PayloadCodec<T> codec, Duration timeout) {
    Payload payload = scope.awaitSignal(name, awaited, timeout);
    return payload.equals(Waits.TIMED_OUT) ? Optional.empty() : Optional.of(decode(codec, payload));
  }

  /**
   * Requests a token. When this returns, its owner is committed; do nothing before that a duplicate
   * run must not do.
   *
   * @param codec of the payloads of {@link WorkflowHook#await}: those of the signals sent to this
   *     token
   */
  public <T extends @Nullable Object> WorkflowHook<T> hook(
      HookRequest request, PayloadCodec<T> codec) {
    return new WorkflowHook<>(
        this,
        request,
        WorkflowScope.hookName(request),
        codec,
        TaskHooks.decode(scope.hook(request)));
  }

  void disposeLater(String token) {
    scope.execution().disposeLater(token);
  }

  /** JSON {@code null} as a signal's payload or a part's output is void. */
  private static <T extends @Nullable Object> T decode(PayloadCodec<T> codec, Payload stored) {
    return codec.decode(stored.equals(PartMessages.NULL) ? null : stored);
  }
}
