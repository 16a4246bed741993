package dev.hapax.testkit.simulation;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * One simulation run, determined by a seed, in one thread. Each step advances the time, runs the
 * due tasks of all nodes, and lets one actor act. The last third has no faults, and in the end
 * every call must be answered.
 */
public final class Simulation<W extends HistoryObserver> {
  private static final int MAX_NODES = 3;
  private static final Duration DELAY = Duration.ofMillis(5);
  private static final Duration LONG_DELAY = Duration.ofSeconds(3);
  private static final Duration STEP = Duration.ofMillis(200);
  private static final Duration DRAIN = Duration.ofMinutes(1);

  private final SettableClock clock = new SettableClock();
  private final Trace trace = new Trace(clock);
  private final ManualScheduler outside = new ManualScheduler(clock);
  private final SimulatedNetwork network = new SimulatedNetwork(this);
  private final SeededRandom random;
  private final W observer;
  private final SimulatedStore store;
  private final List<SimulatedNode> nodes;
  private FaultProfile faults;

  /** Creates a run whose nodes have no services yet. */
  public Simulation(long seed, Function<Trace, W> observer) {
    this.random = new SeededRandom(seed);
    this.faults = FaultProfile.random(random);
    this.observer = observer.apply(trace);
    this.store = new SimulatedStore(clock, trace, this.observer, this::committed);
    this.nodes =
        IntStream.rangeClosed(1, 1 + random.below(MAX_NODES))
            .mapToObj(i -> new SimulatedNode("node-" + i, this, new ManualScheduler(clock)))
            .toList();
  }

  public W observer() {
    return observer;
  }

  public SeededRandom random() {
    return random;
  }

  public Instant now() {
    return clock.instant();
  }

  public Trace trace() {
    return trace;
  }

  public SimulatedStore store() {
    return store;
  }

  public List<SimulatedNode> nodes() {
    return nodes;
  }

  public SimulatedNetwork network() {
    return network;
  }

  public String describe(Object what) {
    return observer.describe(what);
  }

  FaultProfile faults() {
    return faults;
  }

  /** Returns a random duration of a step. */
  Duration delay() {
    return random.upTo(random.chance(faults.slow()) ? LONG_DELAY : DELAY);
  }

  /** Schedules a task outside of the nodes. */
  void outside(Duration delay, Runnable task) {
    var _ = outside.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  void stop(SimulatedNode node, Duration time) {
    trace.addForAll("nemesis", () -> "stops %s for %s".formatted(node.name(), time));
    node.stopUntil(now().plus(time));
  }

  void jump(Duration time) {
    trace.addForAll("nemesis", () -> "lets %s go by".formatted(time));
    clock.advance(time);
  }

  private void committed(SimulatedNode by, Map<RecordKey<?>, Batch.Change> changed) {
    nodes.forEach(node -> node.committed(by, changed));
  }

  /**
   * Runs the simulation to its end.
   *
   * @throws AssertionError with the trace, if the observer complains or a call is not answered
   */
  public void run(List<? extends SimulatedActor> actors, int acts) {
    var all = new ArrayList<SimulatedActor>(actors);
    all.add(new Nemesis(this));
    for (var i = 0; i < acts * 2 / 3; i++) {
      step();
      random.pick(all).act();
    }
    var faultsEndedAt = removeFaults();
    for (var i = 0; i < acts / 3; i++) {
      step();
      random.pick(actors).act();
      observer.withoutFaults(faultsEndedAt, now());
    }
    drain(faultsEndedAt);
  }

  private Instant removeFaults() {
    faults = FaultProfile.CALM;
    trace.addForAll("nemesis", () -> "leaves");
    nodes.forEach(node -> node.stopUntil(Instant.MIN));
    return now();
  }

  private void drain(Instant faultsEndedAt) {
    var end = now().plus(DRAIN);
    while (now().isBefore(end)) {
      step();
      observer.withoutFaults(faultsEndedAt, now());
      if (outside.pending() == 0 && nodes.stream().allMatch(SimulatedNode::isIdle)) {
        break;
      }
    }
    trace.throwIfWrong();
    if (network.open() > 0) {
      throw new AssertionError(network.open() + " calls were never answered\n" + trace.text());
    }
  }

  private void step() {
    clock.advance(random.upTo(STEP));
    outside.runDue();
    var order = new ArrayList<>(nodes);
    random.shuffle(order);
    order.forEach(node -> node.run(now()));
    trace.throwIfWrong();
  }
}
