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
 * One server of several. What comes while a batch is under way forms the next one. All it does, it
 * does in its own timer, so that it can be stopped and go on.
 */
public final class SimulatedNode implements Ledger {
  private static final Duration SIGNAL = Duration.ofMillis(500);
  private final String name;
  private final Simulation<?> simulation;
  private final ManualScheduler timer;
  private final List<UnansweredCall<?>> queue = new ArrayList<>();
  private final List<Consumer<Map<RecordKey<?>, Batch.Change>>> listeners = new ArrayList<>();
  private final List<Runnable> foreignListeners = new ArrayList<>();
  private boolean underWay;
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

  /** Does what is due, unless it is stopped. */
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
    if (!underWay) {
      underWay = true;
      after(simulation.delay(), this::commit);
    }
  }

  private void commit() {
    var batch = inAnOrder(queue);
    queue.clear();
    underWay = false;
    var dice = simulation.dice();
    var weather = simulation.weather();
    if (dice.chance(weather.overloaded())) {
      var retryAfter = Duration.ofMillis(1).plus(dice.upTo(Duration.ofSeconds(1)));
      fail(batch, "overloaded", new LedgerException.Overloaded("simulated", retryAfter));
    } else if (dice.chance(weather.refused())) {
      fail(batch, "unavailable, nothing happened", unavailable());
    } else if (dice.chance(weather.inDoubt())) {
      var _ = simulation.store().commit(this, batch);
      fail(batch, "unavailable, but committed", unavailable());
    } else if (dice.chance(weather.late())) {
      fail(batch, "unavailable, to be committed later", unavailable());
      simulation.outside(simulation.delay(), () -> simulation.store().commit(this, batch));
    } else {
      var widened = simulation.store().commit(this, batch);
      batch.stream()
          .filter(pending -> !widened.contains(pending))
          .forEach(pending -> after(simulation.delay(), pending::tell));
      widened.forEach(this::add);
    }
  }

  /** Who is woken together submits in no order; from here on the seed alone decides. */
  private List<UnansweredCall<?>> inAnOrder(List<UnansweredCall<?>> arrived) {
    var ordered = new ArrayList<>(arrived);
    if (ordered.size() > 1) {
      ordered.sort(Comparator.comparing(pending -> pending.asked().toString()));
      simulation.dice().shuffle(ordered);
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

  /** A read past the ledger; what it found may be old when it is told. */
  public <T> CompletableFuture<T> read(Supplier<T> read) {
    var answer = new CompletableFuture<T>();
    after(
        simulation.delay(),
        () -> {
          var found = read.get();
          var fails = simulation.dice().chance(simulation.weather().refused());
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
      after(simulation.dice().upTo(SIGNAL), this::signal);
    }
  }

  private void signal() {
    signalled = false;
    foreignListeners.forEach(Runnable::run);
  }

  @Override
  public void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener) {
    listeners.add(listener);
  }

  @Override
  public void onForeignCommit(Runnable listener) {
    foreignListeners.add(listener);
  }
}
