package dev.hapax.testkit.simulation;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.testkit.ManualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A simulated server node. Commands that arrive during a batch form the next one. The node acts
 * only in its own timer, so that it can be paused and resumed.
 */
public final class SimulatedNode implements Ledger {
  private static final Duration SIGNAL = Duration.ofMillis(500);
  private final String name;
  private final Simulation<?> simulation;
  private final ManualScheduler timer;
  private final List<UnansweredCall<?>> queue = new ArrayList<>();
  private final List<Consumer<Map<RecordKey<?>, Batch.Change>>> listeners = new ArrayList<>();
  private final List<Runnable> remoteListeners = new ArrayList<>();
  private boolean committing;
  private boolean signalled;
  private Instant stoppedUntil = Instant.MIN;

  SimulatedNode(String name, Simulation<?> simulation, ManualScheduler timer) {
    this.name = name;
    this.simulation = simulation;
    this.timer = timer;
  }

  public String name() {
    return name;
  }

  public ScheduledExecutorService timer() {
    return timer;
  }

  void stopUntil(Instant until) {
    stoppedUntil = until;
  }

  /** Runs the due tasks, unless the node is paused. */
  void run(Instant now) {
    if (!now.isBefore(stoppedUntil)) {
      timer.runDue();
    }
  }

  boolean isIdle() {
    return timer.pending() == 0;
  }

  void after(Duration delay, Runnable task) {
    var _ = timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public <O> CompletableFuture<O> submit(Command<O> command) {
    var pending = new UnansweredCall<>(command);
    add(pending);
    return pending.answer();
  }

  private void add(UnansweredCall<?> pending) {
    queue.add(pending);
    if (!committing) {
      committing = true;
      after(simulation.delay(), this::commit);
    }
  }

  private void commit() {
    var batch = shuffled(queue);
    queue.clear();
    committing = false;
    var random = simulation.random();
    var faults = simulation.faults();
    if (random.chance(faults.overloaded())) {
      var retryAfter = Duration.ofMillis(1).plus(random.upTo(Duration.ofSeconds(1)));
      fail(batch, "overloaded", new LedgerException.Overloaded("simulated", retryAfter));
    } else if (random.chance(faults.refused())) {
      fail(batch, "unavailable, nothing happened", unavailable());
    } else if (random.chance(faults.inDoubt())) {
      var _ = simulation.store().commit(this, batch);
      fail(batch, "unavailable, but committed", unavailable());
    } else if (random.chance(faults.late())) {
      fail(batch, "unavailable, to be committed later", unavailable());
      simulation.outside(simulation.delay(), () -> simulation.store().commit(this, batch));
    } else {
      var widened = simulation.store().commit(this, batch);
      batch.stream()
          .filter(pending -> !widened.contains(pending))
          .forEach(pending -> after(simulation.delay(), pending::answerWithOutcome));
      widened.forEach(this::add);
    }
  }

  /**
   * Sorts and shuffles the batch, because waiters submit in no defined order; only the seed may
   * decide.
   */
  private List<UnansweredCall<?>> shuffled(List<UnansweredCall<?>> arrived) {
    var ordered = new ArrayList<>(arrived);
    if (ordered.size() > 1) {
      ordered.sort(Comparator.comparing(pending -> pending.asked().toString()));
      simulation.random().shuffle(ordered);
    }
    return ordered;
  }

  private void fail(List<UnansweredCall<?>> batch, String why, LedgerException failure) {
    for (var pending : batch) {
      for (var key : pending.command().keys()) {
        simulation
            .trace()
            .add(key, name, () -> "%s: %s".formatted(why, simulation.describe(pending.asked())));
      }
      after(simulation.delay(), () -> pending.answer().completeExceptionally(failure));
    }
  }

  private static LedgerException unavailable() {
    return new LedgerException.Unavailable("simulated");
  }

  /** Reads outside the ledger; the result may be stale when it is delivered. */
  public <T> CompletableFuture<T> read(Supplier<T> read) {
    var answer = new CompletableFuture<T>();
    after(
        simulation.delay(),
        () -> {
          var found = read.get();
          var fails = simulation.random().chance(simulation.faults().refused());
          after(
              simulation.delay(),
              () -> {
                var _ =
                    fails ? answer.completeExceptionally(unavailable()) : answer.complete(found);
              });
        });
    return answer;
  }

  void committed(SimulatedNode by, Map<RecordKey<?>, Batch.Change> changed) {
    if (by == this) {
      after(simulation.delay(), () -> listeners.forEach(listener -> listener.accept(changed)));
    } else if (!signalled) {
      signalled = true;
      after(simulation.random().upTo(SIGNAL), this::signal);
    }
  }

  private void signal() {
    signalled = false;
    remoteListeners.forEach(Runnable::run);
  }

  @Override
  public void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener) {
    listeners.add(listener);
  }

  @Override
  public void onRemoteCommit(Runnable listener) {
    remoteListeners.add(listener);
  }
}
