package dev.hapax.client;

import dev.hapax.client.internal.DetectedTraces;
import dev.hapax.client.internal.InterruptibleThread;
import dev.hapax.client.internal.KeyText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The branches of one map: each runs once, on the calling thread or one of the worker's. The
 * calling thread takes part, so that a full executor cannot block it.
 */
final class Branches<I extends @Nullable Object, T extends @Nullable Object> {

  private static final Logger log = LoggerFactory.getLogger(Branches.class);

  /** One branch. */
  private static final class Branch<I extends @Nullable Object, T extends @Nullable Object> {
    private final I item;
    private final Task task;
    private @Nullable BranchOutcome<T> outcome;
    private @Nullable Error error;

    Branch(I item, Task task) {
      this.item = item;
      this.task = task;
    }
  }

  private final Execution execution;
  private final ExecutionEnding ending;
  private final MapBranch<? super I, ? extends T, ?> work;
  private final boolean settled;
  private final List<Branch<I, T>> branches = new ArrayList<>();

  // guards the rest; a monitor would pin virtual threads
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private int next;
  private int running;
  private boolean stopped;

  /**
   * @param name the full name of the map
   * @param settled whether a failure stops no other branch
   */
  Branches(
      Execution execution,
      ExecutionEnding ending,
      String name,
      List<? extends I> items,
      Function<? super I, String> key,
      MapBranch<? super I, ? extends T, ?> work,
      boolean settled) {
    this.execution = execution;
    this.ending = ending;
    this.work = work;
    this.settled = settled;
    Set<String> keys = new HashSet<>();
    for (I item : items) {
      String prefix = name + "/" + checked(name, keys, key.apply(item)) + "/";
      branches.add(new Branch<>(item, new Task(execution, prefix, ending)));
    }
  }

  private static String checked(String name, Set<String> keys, String key) {
    IllegalArgumentException cause = null;
    try {
      if (!key.contains("/") && keys.add(KeyText.required("a key", key))) {
        return key;
      }
    } catch (IllegalArgumentException invalid) {
      cause = invalid;
    }
    throw new FinalFailure(
        "MAP_KEY_INVALID",
        "the keys of `%s` must be different, not empty, without `/` and control characters (was `%s`)"
            .formatted(name, key),
        cause);
  }

  /**
   * Runs the branches, and returns their outcomes in the order of the items.
   *
   * @param <E> what the branches throw
   */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  <E extends Exception> List<BranchOutcome<T>> run(int concurrency) throws E {
    int helpers = Math.min(concurrency, branches.size()) - 1;
    for (int i = 0; i < helpers; i++) {
      try {
        execution.tasks().executor().execute(DetectedTraces.INSTANCE.wrap(this::help));
      } catch (RejectedExecutionException full) {
        log.debug("the executor rejected a branch, which the calling thread runs", full);
        break;
      }
    }
    runEach();
    awaitRunning();
    for (Branch<I, T> branch : branches) {
      ExecutionEnd chosen = branch.task.ending().chosen();
      if (chosen != null) {
        ending.propagate(chosen);
      }
    }
    ending.check();
    List<BranchOutcome<T>> outcomes = new ArrayList<>();
    for (Branch<I, T> branch : branches) {
      if (branch.error != null) {
        throw branch.error;
      }
      if (branch.outcome instanceof BranchOutcome.Failed<T> failed
          && (!settled || isLoss(failed.exception()))) {
        throw (E) failed.exception();
      }
      if (branch.outcome != null) {
        outcomes.add(branch.outcome);
      }
    }
    return outcomes;
  }

  private void help() {
    InterruptibleThread thread =
        execution.tasks().interruptsWhenLost()
            ? new InterruptibleThread(execution.claim()::onLost)
            : null;
    try {
      runEach();
    } finally {
      if (thread != null) {
        thread.ended();
      }
    }
  }

  private void runEach() {
    for (Branch<I, T> branch = take(); branch != null; branch = take()) {
      run(branch);
    }
  }

  private @Nullable Branch<I, T> take() {
    lock.lock();
    try {
      if (stopped || next == branches.size() || ending.isChosen()) {
        return null;
      }
      running++;
      return branches.get(next++);
    } finally {
      lock.unlock();
    }
  }

  private void run(Branch<I, T> branch) {
    boolean stops = true;
    try {
      branch.outcome = new BranchOutcome.Returned<>(work.run(branch.task, branch.item));
      stops = false;
    } catch (Exception thrown) {
      branch.outcome = new BranchOutcome.Failed<>(thrown);
      stops = !settled || isLoss(thrown);
    } catch (Error thrown) {
      branch.error = thrown;
    } finally {
      ended(stops || branch.task.ending().isChosen());
    }
  }

  private void ended(boolean stops) {
    lock.lock();
    try {
      running--;
      stopped |= stops;
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private static boolean isLoss(Exception thrown) {
    return thrown instanceof HapaxException.ClaimLost
        || thrown instanceof HapaxException.Unavailable;
  }

  private void awaitRunning() {
    lock.lock();
    try {
      while (running > 0) {
        ended.await();
      }
    } catch (InterruptedException interrupted) {
      stopped = true;
      throw execution.claim().interrupted(interrupted);
    } finally {
      lock.unlock();
    }
  }
}
