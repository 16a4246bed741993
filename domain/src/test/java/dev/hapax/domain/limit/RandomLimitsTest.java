package dev.hapax.domain.limit;

import static dev.hapax.domain.limit.LimitedRuns.limit;
import static dev.hapax.domain.limit.LimitedRuns.paced;
import static dev.hapax.domain.limit.LimitedRuns.step;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.Rate;
import dev.hapax.domain.definition.Steps;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.LineId;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.StepTurn;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Random runs of limited definitions and at limited steps, some of which wait for a token before,
 * in batches or one by one, by a clock that may go back. No run is admitted but by what a commit
 * calls for.
 */
class RandomLimitsTest {
  private static final int SEEDS = 50;
  private static final int LONG = 40_000;
  private static final int PER_TEST = 25;
  private static final int COMMANDS = 40;
  private static final int DRAINED = 2_000;

  private static final HookId TOKEN = HookId.of(Workspace.DEFAULT, "order");
  private static final List<String> VALUES = List.of("x", "y");
  private static final List<String> NAMES = List.of("a", "b", "p", "q");

  /** Between two starts at "p" and "q", whatever the number of starts for it. */
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private static final List<LimitKey> KEYS =
      Stream.concat(
              NAMES.stream()
                  .flatMap(name -> VALUES.stream().map(value -> LimitedRuns.key(name, value))),
              NAMES.stream()
                  .flatMap(
                      name -> VALUES.stream().map(value -> LimitedRuns.ofDefinitions(name, value))))
          .toList();

  private static final List<Definition> DEFINITIONS =
      List.of(
          Steps.definition(step("one", limit("a", 1))),
          Steps.definition(step("both", limit("a", 2), limit("b", 2)), step("b", limit("b", 1))),
          Steps.definition(Steps.task("first"), step("a", limit("a", 1)), step("b", limit("b", 2))),
          Steps.definition(step("paced", limit("a", 2), paced("p", 0, INTERVAL))),
          Steps.definition(step("both", paced("p", 2, INTERVAL), paced("q", 0, INTERVAL))));

  /** Their runs start without tokens. */
  private static final List<Definition> LIMITED =
      List.of(
          LimitedRuns.limited(List.of(limit("a", 1)), step("a", limit("a", 2))),
          LimitedRuns.limited(List.of(limit("a", 2), limit("b", 2)), Steps.task("first")),
          LimitedRuns.limited(
              List.of(limit("a", 2), paced("p", 0, INTERVAL)),
              step("paced", paced("p", 0, INTERVAL))));

  @TestFactory
  @DisplayName(
      "given random runs, then no limit is exceeded, no run passes another one, and no run waits"
          + " before a limit with room without a commit that called for its admission")
  @Tag("turns-L1")
  Stream<DynamicTest> stories() {
    return stories(0, SEEDS);
  }

  @TestFactory
  @Tag("soak")
  @DisplayName("the same with more random runs")
  Stream<DynamicTest> moreStories() {
    return stories(SEEDS, LONG);
  }

  private static Stream<DynamicTest> stories(int from, int count) {
    return IntStream.range(0, count / PER_TEST)
        .map(part -> from + part * PER_TEST)
        .mapToObj(
            first ->
                DynamicTest.dynamicTest(
                    "seeds from " + first,
                    () ->
                        IntStream.range(first, first + PER_TEST).forEach(RandomLimitsTest::tell)));
  }

  private static Set<String> tell(int seed) {
    var teller = new Teller(seed);
    try {
      teller.tell();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed "
              + seed
              + ": "
              + e.getMessage()
              + "\n"
              + teller.story.stream().map(Object::toString).collect(Collectors.joining("\n")),
          e);
    }
    return teller.seen;
  }

  @Test
  @DisplayName("the random runs cover every situation")
  void everythingHappens() {
    var told = new TreeSet<String>();
    IntStream.range(0, PER_TEST).forEach(seed -> told.addAll(tell(seed)));
    assertThat(told)
        .contains(
            "waits in two lines",
            "waits for a token",
            "waits at a step and owns a token",
            "held and paused",
            "delayed",
            "started at a rate",
            "run started at a rate",
            "admitted 2",
            "set lower than runs",
            "waits to start",
            "waits at a step and has started",
            "retried");
  }

  private static final class Teller {
    final Set<String> seen = new TreeSet<>();
    private final LimitedRuns runs = new LimitedRuns();
    private final Random random;
    private final boolean inBatches;
    private final List<List<?>> story = new ArrayList<>();
    private final List<Command<?>> hints = new ArrayList<>();

    /** The runs that waited, and the numbers that counted, before the last commands. */
    private List<Run> waited = List.of();

    private Map<LimitKey, Integer> counted = Map.of();

    /** The runs that were retried: they pass others at the limits of their definition. */
    private final Set<RunId> retried = new HashSet<>();

    private boolean isSetting;
    private boolean isReturning;

    /** The runs that are at a limit. */
    private final Map<LimitKey, List<Run>> at = new HashMap<>();

    /** The times for which a node has set its timer, and at which runs have started. */
    private final Map<LimitKey, Instant> timers = new HashMap<>();

    private final Map<LimitKey, Map<Long, Instant>> starts = new HashMap<>();
    private final Set<String> setRates = new TreeSet<>();

    Teller(int seed) {
      random = new Random(seed);
      inBatches = seed % 2 == 1;
      runs.window(1 + seed % 3);
    }

    private <T> T any(List<T> all) {
      return all.get(random.nextInt(all.size()));
    }

    void tell() {
      for (var i = 0; i < COMMANDS; i++) {
        if (random.nextInt(3) == 0) {
          runs.later(Duration.ofNanos(1_000L * (random.nextInt(30) - 8)));
        }
        var commands =
            Stream.<Command<?>>generate(this::command)
                .limit(inBatches ? 1 + random.nextInt(6) : 1)
                .toList();
        does(commands);
      }
      drain();
    }

    private void does(List<Command<?>> commands) {
      waited = runs.runs().stream().filter(run -> run.blocked().isPresent()).toList();
      isSetting = commands.stream().anyMatch(SetLimit.class::isInstance);
      var returning =
          runs.runs().stream()
              .filter(run -> run.needsDefinitionTurn() && run.startedAt().isPresent())
              .anyMatch(run -> !run.hasEnded());
      isReturning = returning;
      counted = new HashMap<>();
      KEYS.forEach(key -> counted.put(key, counting(key).size()));
      story.add(List.of(runs.now(), commands));
      var outcomes = runs.<Object>doAll(commands);
      for (var i = 0; i < commands.size(); i++) {
        if (outcomes.get(i) instanceof AdmitRuns.Admitted(var admitted, _, var delay)
            && commands.get(i) instanceof AdmitRuns(var key)) {
          seen.add("admitted " + admitted.size());
          delay.ifPresent(
              time -> {
                seen.add("delayed");
                timers.merge(key, runs.now().plus(time), (a, b) -> a.isBefore(b) ? a : b);
              });
        }
      }
      runs.takeHints().stream().filter(hint -> !hints.contains(hint)).forEach(hints::add);
      check();
    }

    /** The timers of the node that fire. */
    private void fire() {
      List.copyOf(timers.keySet()).stream()
          .filter(key -> !runs.now().isBefore(timers.get(key)))
          .forEach(
              key -> {
                timers.remove(key);
                hints.add(new AdmitRuns(key));
              });
    }

    private Command<?> command() {
      fire();
      if (!hints.isEmpty() && random.nextInt(3) == 0) {
        return hints.remove(random.nextInt(hints.size()));
      }
      return switch (random.nextInt(12)) {
        case 0, 1 -> start();
        case 2 -> runs.queued(any(DEFINITIONS), any(VALUES), TOKEN);
        case 3, 4, 5 ->
            some(run -> run.needsTurn(runs.now()))
                .<Command<?>>map(EnterStep::of)
                .orElseGet(this::start);
        case 6, 7 ->
            some(run -> run.queue().isPresent())
                .<Command<?>>map(run -> runs.claim(run.id()))
                .orElseGet(this::start);
        case 8, 9 ->
            some(run -> run.held().isPresent()).<Command<?>>map(this::ends).orElseGet(this::start);
        case 10 -> steers();
        default -> rarely();
      };
    }

    private Command<?> start() {
      var definition = any(random.nextInt(3) == 0 ? LIMITED : DEFINITIONS);
      return LimitedRuns.start(runs.startRun(definition, any(VALUES), "{}"));
    }

    private Optional<Run> some(Predicate<Run> filter) {
      var all = runs.runs().stream().filter(filter).toList();
      return all.isEmpty() ? Optional.empty() : Optional.of(any(all));
    }

    private Command<?> ends(Run run) {
      return switch (random.nextInt(6)) {
        case 0, 1 -> runs.complete(run.id());
        case 2 -> runs.fail(run.id(), random.nextInt(3) == 0);
        case 3 ->
            runs.release(run.id(), random.nextBoolean() ? Duration.ZERO : Duration.ofNanos(9000));
        case 4 -> runs.suspend(run.id(), Duration.ofNanos(9_000));
        default -> runs.complete(run.id());
      };
    }

    private Command<?> steers() {
      return some(run -> !run.hasEnded())
          .<Command<?>>map(
              run ->
                  runs.control(
                      run.id(),
                      run.phase() instanceof Phase.Paused
                          ? Verb.RESUME
                          : any(List.of(Verb.PAUSE, Verb.PAUSE, Verb.CANCEL))))
          .orElseGet(this::start);
    }

    private Command<?> rarely() {
      return switch (random.nextInt(8)) {
        case 0 -> {
          runs.later(Steps.LEASE);
          yield some(run -> run.held().isPresent())
              .<Command<?>>map(run -> EnterStep.of(run.id()))
              .orElseGet(this::start);
        }
        case 1 ->
            some(run -> run.status() == RunStatus.FAILED)
                .<Command<?>>map(
                    run -> {
                      seen.add("retried");
                      retried.add(run.id());
                      return runs.retry(run.id());
                    })
                .orElseGet(this::start);
        case 2, 6, 7 -> set();
        case 3 -> {
          runs.later(INTERVAL.dividedBy(2));
          yield start();
        }
        default -> {
          runs.later(Duration.ofMinutes(2));
          yield some(run -> run.due().filter(due -> !runs.now().isBefore(due)).isPresent())
              .<Command<?>>map(run -> EnterStep.of(run.id()))
              .orElseGet(this::start);
        }
      };
    }

    private Command<?> set() {
      var key = any(KEYS);
      var chosen =
          random.nextBoolean()
              ? key
              : new LimitKey(key.workspace(), key.ofDefinitions(), key.name(), "");
      var max = random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(1 + random.nextInt(3));
      // the caller of SetLimit searches all lines of the name
      KEYS.stream()
          .filter(line -> line.name().equals(key.name()))
          .map(AdmitRuns::new)
          .forEach(hints::add);
      if (random.nextInt(4) > 0) {
        return LimitedRuns.set(chosen, max);
      }
      setRates.add(key.name());
      var rate = new Rate(1, INTERVAL.multipliedBy(1 + random.nextInt(3)));
      return LimitedRuns.set(chosen, max, Optional.of(rate));
    }

    // the rules, by the runs alone

    private static boolean isAt(Run run, LimitKey key) {
      return LimitedStep.of(run).lines().stream().anyMatch(line -> line.key().equals(key));
    }

    private static Stream<LimitedStep.Line> lines(Run run) {
      var ofDefinition =
          run.definitionTurn().isPresent()
              ? LimitedStep.ofDefinition(run)
              : new LimitedStep(List.of());
      return ofDefinition.and(LimitedStep.of(run)).lines().stream().distinct();
    }

    private List<Run> counting(LimitKey key) {
      return at.getOrDefault(key, List.of()).stream()
          .filter(
              run ->
                  key.ofDefinitions()
                      ? run.definitionTurn().isPresent() && !waitsToStart(run)
                      : run.queue().isPresent() || run.held().isPresent())
          .toList();
    }

    private static boolean waitsToStart(Run run) {
      return run.blocked().isPresent() && run.stepTurn().isEmpty();
    }

    private static LimitedStep.Line line(Run run, LimitKey key) {
      return lines(run).filter(line -> line.key().equals(key)).findFirst().orElseThrow();
    }

    private int max(Run run, LimitKey key) {
      var max =
          key.settings()
              .flatMap(of -> runs.get(of).stream())
              .flatMapToInt(setting -> setting.maxRunning().stream())
              .findFirst()
              .orElse(line(run, key).declared());
      return max == 0 ? Integer.MAX_VALUE : max;
    }

    private Optional<Rate> rate(Run run, LimitKey key) {
      return key.settings()
          .flatMap(of -> runs.get(of).stream())
          .flatMap(setting -> setting.rate().stream())
          .findFirst()
          .or(line(run, key)::rate);
    }

    /**
     * When the rate lets the run start: an interval after the last one, or less if that was late.
     */
    private Instant next(Run run, LimitKey key) {
      var last =
          starts.getOrDefault(key, Map.of()).values().stream().max(Comparator.naturalOrder());
      return rate(run, key)
          .flatMap(rate -> last.map(at -> at.plus(rate.interval())))
          .orElse(Instant.MIN);
    }

    /**
     * Many starts are as many intervals apart, but for the half by which the first one was late.
     */
    private void checkStarts(Run run) {
      run.stepTurn()
          .filter(_ -> run.queue().isPresent())
          .ifPresent(turn -> started(run, LimitedStep.of(run), turn));
      run.definitionTurn()
          .filter(_ -> !waitsToStart(run) && !retried.contains(run.id()))
          .ifPresent(turn -> started(run, LimitedStep.ofDefinition(run), turn));
    }

    private void started(Run run, LimitedStep step, StepTurn turn) {
      step.lines().forEach(line -> started(run, line.key(), turn.turn()));
    }

    private void started(Run run, LimitKey key, long turn) {
      var known = starts.computeIfAbsent(key, _ -> new LinkedHashMap<>());
      if (known.putIfAbsent(turn, runs.now()) != null || setRates.contains(key.name())) {
        return;
      }
      var times = List.copyOf(known.values());
      for (var i = 0; i < times.size() - 1 && rate(run, key).isPresent(); i++) {
        seen.add(key.ofDefinitions() ? "run started at a rate" : "started at a rate");
        var least = INTERVAL.multipliedBy(times.size() - 1 - i).minus(INTERVAL.dividedBy(2));
        assertThat(Duration.between(times.get(i), runs.now()))
            .as("starts at " + key)
            .isGreaterThan(least);
      }
    }

    private void check() {
      at.clear();
      for (var run : runs.runs()) {
        if (!run.hasEnded()) {
          lines(run)
              .forEach(line -> at.computeIfAbsent(line.key(), _ -> new ArrayList<>()).add(run));
        }
      }
      runs.runs().forEach(this::checkStarts);
      for (var key : KEYS) {
        var counting = counting(key);
        var isUncounted = key.name().equals("p") || key.name().equals("q");
        assertThat(counting.stream().map(Run::id).toList())
            .as("what is stored for " + key)
            .containsAll(runs.admitted(key));
        assertThat(isUncounted || runs.admitted(key).size() == counting.size())
            .as("all is stored for " + key)
            .isTrue();
        if (isUncounted) {
          continue;
        }
        var most = counting.stream().mapToInt(run -> max(run, key)).max().orElse(0);
        if (!isSetting && !(key.ofDefinitions() && isReturning)) {
          assertThat(counting.size())
              .as("runs at " + key)
              .isLessThanOrEqualTo(Math.max(most, counted.getOrDefault(key, 0)));
        }
        if (counting.size() > most) {
          seen.add("set lower than runs");
        }
      }
      for (var run : runs.runs()) {
        run.blocked().ifPresent(blocked -> checkWaiting(run, blocked.turn()));
        if (run.phase() instanceof Phase.Paused
            && run.held().isPresent()
            && !run.limits().isEmpty()) {
          seen.add("held and paused");
        }
      }
      waited.forEach(this::checkOrder);
    }

    private void checkWaiting(Run run, long turn) {
      if (run.tokens().isAwaiting()) {
        seen.add("waits for a token");
        return;
      }
      if (waitsToStart(run)) {
        seen.add("waits to start");
        assertThat(run.tokens().marks()).as("owns nothing").isEmpty();
      }
      if (run.stepTurn().isPresent() && run.definitionTurn().isPresent()) {
        seen.add("waits at a step and has started");
      }
      if (!run.tokens().marks().isEmpty()) {
        seen.add("waits at a step and owns a token");
      }
      var mine = KEYS.stream().filter(key -> isAt(run, key)).toList();
      if (mine.size() == 2) {
        seen.add("waits in two lines");
      }
      assertThat(mine).allSatisfy(key -> assertThat(runs.waiting(key)).contains(run.id()));
      if (mine.stream().allMatch(key -> isFirst(run, key, turn) && admitted(key) < max(run, key))) {
        var next =
            mine.stream().map(key -> next(run, key)).max(Comparator.naturalOrder()).orElseThrow();
        var isTimed =
            mine.stream()
                .anyMatch(key -> timers.containsKey(key) && !timers.get(key).isAfter(latest(next)));
        assertThat(
                isTimed
                    || hints.stream()
                        .anyMatch(hint -> hint instanceof AdmitRuns(var key) && isAt(run, key)))
            .as("an admission of " + run.id())
            .isTrue();
      }
    }

    /**
     * A timer may have fired already, and be in the hints no more only if its admission is done.
     */
    private Instant latest(Instant next) {
      return next.isBefore(runs.now()) ? runs.now() : next;
    }

    private int admitted(LimitKey key) {
      return runs.admitted(key).size();
    }

    private boolean isFirst(Run run, LimitKey key, long turn) {
      return others(run, key).noneMatch(other -> other.blocked().orElseThrow().turn() < turn);
    }

    /** The runs that wait in a line beside this one. */
    private Stream<Run> others(Run run, LimitKey key) {
      return at.getOrDefault(key, List.of()).stream()
          .filter(other -> !other.id().equals(run.id()))
          .filter(other -> other.blocked().isPresent() && !other.tokens().isAwaiting())
          .filter(other -> isAt(other, key));
    }

    /** A run that waited and still does is passed by no run that it did not see in the queue. */
    private void checkOrder(Run before) {
      var now = runs.run(before.id());
      if (!now.blocked().equals(before.blocked()) || before.tokens().isAwaiting()) {
        return;
      }
      var turn = now.blocked().orElseThrow().turn();
      for (var key : KEYS) {
        if (isAt(now, key)) {
          assertThat(counting(key))
              .as("passes " + now.id() + " at " + key)
              .allMatch(
                  run ->
                      key.ofDefinitions()
                          ? retried.contains(run.id())
                              || run.definitionTurn().orElseThrow().turn() < turn
                          : run.stepTurn().orElseThrow().turn() < turn);
        }
      }
    }

    /** When nothing new comes, every run gets its turn and ends, and nothing is left. */
    private void drain() {
      for (var round = 0; ; round++) {
        assertThat(round).as("comes to an end").isLessThan(DRAINED);
        for (var i = 0; !hints.isEmpty(); i++) {
          assertThat(i).as("admits at last").isLessThan(DRAINED);
          does(List.of(hints.removeFirst()));
        }
        var next = runs.runs().stream().map(this::onward).flatMap(Optional::stream).findFirst();
        if (next.isEmpty() && !timers.isEmpty()) {
          var first = timers.values().stream().min(Comparator.naturalOrder()).orElseThrow();
          if (runs.now().isBefore(first)) {
            runs.later(Duration.between(runs.now(), first));
          }
          fire();
          continue;
        }
        if (next.isEmpty()) {
          break;
        }
        does(List.of(next.get()));
      }
      assertThat(runs.runs()).as("all end").allMatch(Run::hasEnded);
      for (var key : KEYS) {
        assertThat(runs.admitted(key)).isEmpty();
        assertThat(runs.waiting(key)).isEmpty();
      }
      assertThat(runs.waiting(new LineId(TOKEN))).isEmpty();
    }

    private Optional<Command<?>> onward(Run run) {
      if (run.hasEnded() || run.blocked().isPresent()) {
        return Optional.empty();
      }
      if (run.phase() instanceof Phase.Paused) {
        return Optional.of(runs.control(run.id(), Verb.RESUME));
      }
      if (run.held().isPresent()) {
        return Optional.of(runs.complete(run.id()));
      }
      var due = run.due().filter(runs.now()::isBefore);
      due.ifPresent(at -> runs.later(Duration.between(runs.now(), at)));
      return Optional.of(run.queue().isPresent() ? runs.claim(run.id()) : EnterStep.of(run.id()));
    }
  }
}
