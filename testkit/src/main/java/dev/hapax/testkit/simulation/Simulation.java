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
 * One run, drawn from one seed, in one thread: time goes on a little, everybody does what is due,
 * and one actor acts. In the last third nothing goes wrong any more, and in the end everybody must
 * have been answered.
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
  private final SimulatedNetwork wire = new SimulatedNetwork(this);
  private final SeededRandom dice;
  private final W witness;
  private final SimulatedStore store;
  private final List<SimulatedNode> nodes;
  private FaultProfile weather;

  /** A run whose nodes have nothing on them yet. */
  public Simulation(long seed, Function<Trace, W> witness) {
    this.dice = new SeededRandom(seed);
    this.weather = FaultProfile.draw(dice);
    this.witness = witness.apply(trace);
    this.store = new SimulatedStore(clock, trace, this.witness, this::committed);
    this.nodes =
        IntStream.rangeClosed(1, 1 + dice.below(MAX_NODES))
            .mapToObj(i -> new SimulatedNode("node-" + i, this, new ManualScheduler(clock)))
            .toList();
  }

  public W witness() {
    return witness;
  }

  public SeededRandom dice() {
    return dice;
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

  public SimulatedNetwork wire() {
    return wire;
  }

  public String describe(Object what) {
    return witness.describe(what);
  }

  FaultProfile weather() {
    return weather;
  }

  /** How long something takes. */
  Duration delay() {
    return dice.upTo(dice.chance(weather.slow()) ? LONG_DELAY : DELAY);
  }

  /** Does something later that no node does. */
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
   * Runs to the end.
   *
   * @throws AssertionError with the trace, if the witness complains or somebody is not answered
   */
  public void run(List<? extends SimulatedActor> actors, int acts) {
    var everybody = new ArrayList<SimulatedActor>(actors);
    everybody.add(new Nemesis(this));
    for (var i = 0; i < acts * 2 / 3; i++) {
      step();
      dice.pick(everybody).act();
    }
    var calm = calmDown();
    for (var i = 0; i < acts / 3; i++) {
      step();
      dice.pick(actors).act();
      witness.calm(calm, now());
    }
    drain(calm);
  }

  private Instant calmDown() {
    weather = FaultProfile.CALM;
    trace.addForAll("nemesis", () -> "leaves");
    nodes.forEach(node -> node.stopUntil(Instant.MIN));
    return now();
  }

  private void drain(Instant calm) {
    var end = now().plus(DRAIN);
    while (now().isBefore(end)) {
      step();
      witness.calm(calm, now());
      if (outside.pending() == 0 && nodes.stream().allMatch(SimulatedNode::isIdle)) {
        break;
      }
    }
    trace.throwIfWrong();
    if (wire.open() > 0) {
      throw new AssertionError(wire.open() + " calls were never answered\n" + trace.text());
    }
  }

  private void step() {
    clock.advance(dice.upTo(STEP));
    outside.runDue();
    var order = new ArrayList<>(nodes);
    dice.shuffle(order);
    order.forEach(node -> node.run(now()));
    trace.throwIfWrong();
  }
}
