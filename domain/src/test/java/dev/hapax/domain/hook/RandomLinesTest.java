package dev.hapax.domain.hook;

import static dev.hapax.domain.hook.Rivals.WORK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.hook.ConflictPolicy.Queue;
import dev.hapax.domain.hook.ConflictPolicy.Reject;
import dev.hapax.domain.hook.ConflictPolicy.Supersede;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.run.AwaitedToken;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.StartOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Random runs that wait for a few tokens, in batches or one by one, with short windows of their
 * lines. No turn is passed but by what a commit calls for.
 */
class RandomLinesTest {
  private static final int SEEDS = 400;
  private static final int LONG = 40_000;
  private static final int PER_TEST = 50;
  private static final int COMMANDS = 60;

  /** Longer than the clock goes back in one story. */
  private static final Duration PAST_JUMPS = Duration.ofMillis(10);

  private static final List<HookId> TOKENS = Stream.of("a", "b", "c").map(Rivals::token).toList();

  @TestFactory
  @DisplayName(
      "given random runs that wait, then one owner at most, in order, and no free token without a"
          + " commit that called for its turn")
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
                    () -> IntStream.range(first, first + PER_TEST).forEach(RandomLinesTest::tell)));
  }

  private static Set<String> tell(int seed) {
    var teller = new Teller(seed);
    try {
      teller.tell();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed " + seed + ": " + e.getMessage() + "\n" + String.join("\n", teller.story), e);
    }
    return teller.outcomes;
  }

  @Test
  @DisplayName("the random runs cover every outcome")
  void everythingHappens() {
    var told = new TreeSet<String>();
    IntStream.range(0, 100).forEach(seed -> told.addAll(tell(seed)));
    assertThat(told)
        .contains(
            "Created",
            "Queued",
            "Queued instead",
            "Rejected",
            "Superseded",
            "Owned",
            "Conflict",
            "Blocked",
            "Admitted 0",
            "Admitted 1",
            "Decided",
            "Disposed");
  }

  private static final class Teller {
    final Set<String> outcomes = new TreeSet<>();
    private final Rivals rivals = new Rivals();
    private final Random random;
    private final boolean inBatches;
    private final List<String> story = new ArrayList<>();

    /** Turns that are not passed yet: the node that committed is slow. */
    private final List<PassTurn> hints = new ArrayList<>();

    Teller(int seed) {
      random = new Random(seed);
      inBatches = seed % 2 == 1;
      rivals.window(1 + seed % 3);
    }

    private <T> T any(List<T> all) {
      return all.get(random.nextInt(all.size()));
    }

    void tell() {
      for (var i = 0; i < COMMANDS; i++) {
        if (random.nextInt(3) == 0) {
          rivals.later(Duration.ofNanos(1_000L * (random.nextInt(30) - 5)));
        }
        if (inBatches) {
          does(Stream.<Command<?>>generate(this::command).limit(1 + random.nextInt(8)).toList());
        } else {
          alone(command());
        }
        collect();
        check();
      }
      drain();
    }

    private void collect() {
      hints.addAll(rivals.takeHints());
    }

    private Command<?> command() {
      if (!hints.isEmpty() && random.nextInt(3) == 0) {
        return hints.remove(random.nextInt(hints.size()));
      }
      return switch (random.nextInt(9)) {
        case 0, 1, 2 -> queues();
        case 3 -> start();
        case 4 -> create();
        case 5 -> new DisposeHook(any(TOKENS), Optional.empty(), "", Rivals.BY);
        case 6 -> retry();
        default -> cancel();
      };
    }

    private StartRunWithHooks queues() {
      var limit = any(List.of(1, 2, 4, Queue.MAX_LIMIT));
      var supersedes = limit == 1 && random.nextBoolean();
      return new StartRunWithHooks(
          rivals.start(WORK),
          TOKENS.stream()
              .filter(_ -> random.nextBoolean())
              .map(id -> wanted(id, new Queue(limit, supersedes)))
              .collect(
                  Collectors.collectingAndThen(
                      Collectors.toList(),
                      some ->
                          some.isEmpty()
                              ? List.of(wanted(any(TOKENS), new Queue(limit, supersedes)))
                              : some)));
    }

    private static Wanted wanted(HookId token, ConflictPolicy policy) {
      return new Wanted(token, "", Duration.ZERO, policy);
    }

    private StartRunWithHooks start() {
      var policy = random.nextBoolean() ? new Reject() : new Supersede(Optional.empty());
      return new StartRunWithHooks(rivals.start(WORK), List.of(wanted(any(TOKENS), policy)));
    }

    private Optional<RunId> anyRun() {
      var all = new ArrayList<>(rivals.runs());
      return all.isEmpty()
          ? Optional.empty()
          : Optional.of(all.get(all.size() - 1 - random.nextInt(Math.min(all.size(), 12))));
    }

    private Command<?> create() {
      return anyRun()
          .<Command<?>>map(
              run ->
                  new CreateHook(
                      run,
                      Optional.empty(),
                      any(TOKENS),
                      "",
                      Duration.ZERO,
                      random.nextInt(3) == 0
                          ? Optional.of(new Supersede(Optional.empty()))
                          : Optional.empty(),
                      Rivals.BY))
          .orElseGet(this::queues);
    }

    private Command<?> cancel() {
      return anyRun()
          .<Command<?>>map(
              run ->
                  new ControlRun(run, ControlRun.Verb.CANCEL, "", OptionalLong.empty(), Rivals.BY))
          .orElseGet(this::queues);
    }

    /** A run fails, in the line or as an owner, and is retried now or later. */
    private Command<?> retry() {
      var run = anyRun().filter(id -> !rivals.run(id).hasEnded());
      if (random.nextBoolean() && run.isPresent()) {
        if (rivals.run(run.get()).blocked().isPresent()) {
          rivals.failsInLine(run.get());
        } else {
          rivals.later(PAST_JUMPS).fails(run.get());
        }
        collect();
      }
      return rivals.runs().stream()
          .filter(id -> rivals.run(id).status() == RunStatus.FAILED)
          .reduce((_, last) -> last)
          .<Command<?>>map(rivals::retry)
          .orElseGet(this::queues);
    }

    private void does(List<Command<?>> commands) {
      var decided = rivals.<Object>doAll(commands);
      for (var i = 0; i < commands.size(); i++) {
        remember(commands.get(i), decided.get(i));
      }
    }

    private void remember(Command<?> command, Object outcome) {
      story.add(command + " -> " + outcome);
      if (command instanceof PassTurn again
          && outcome instanceof PassTurn.Admitted(_, var open)
          && open) {
        hints.add(again);
      }
      outcomes.add(
          switch (outcome) {
            case StartOutcome.Queued(_, _, var instead) when !instead.isEmpty() -> "Queued instead";
            case PassTurn.Admitted(var runs, _) -> "Admitted " + runs.size();
            default -> outcome.getClass().getSimpleName();
          });
    }

    /** One command: the limits hold exactly, and no run passes another one. */
    private void alone(Command<?> command) {
      var before = waiting();
      var lengths = TOKENS.stream().map(this::length).toList();
      var outcome = rivals.does(command);
      remember(command, outcome);
      if (command instanceof StartRunWithHooks(var start, var wanted)
          && wanted.getFirst().onConflict() instanceof Queue(var limit, var supersedes)) {
        var full = wanted.stream().anyMatch(token -> lengths.get(at(token.hook())) >= limit);
        var ahead =
            wanted.stream().anyMatch(token -> lengths.get(at(token.hook())) > 0 || owns(token));
        switch (outcome) {
          case StartOutcome.Created(var run) -> {
            assertThat(before)
                .as("waits before it: " + run.id())
                .noneMatch(other -> shares(other, wanted));
          }
          case StartOutcome.Rejected _ -> assertThat(full).isTrue();
          case StartOutcome.Queued(var run, _, var instead) -> {
            assertThat(full).isEqualTo(!instead.isEmpty());
            assertThat(supersedes || instead.isEmpty()).isTrue();
            wanted.forEach(token -> assertThat(length(token.hook())).isBetween(1, limit));
            assertThat(ahead).isTrue();
          }
          case StartOutcome.Superseded _ -> assertThat(full && supersedes).isTrue();
          default -> throw new AssertionError(outcome);
        }
        assertThat(rivals.get(start.run()).isPresent())
            .isEqualTo(!(outcome instanceof StartOutcome.Rejected));
      }
      if (outcome instanceof PassTurn.Admitted(var runs, _)) {
        runs.forEach(run -> requireFirst(run, before));
      }
    }

    private static int at(HookId token) {
      return TOKENS.indexOf(token);
    }

    private int length(HookId token) {
      return rivals.waiting(token).size();
    }

    private boolean owns(Wanted token) {
      return rivals.owner(token.hook()).isPresent();
    }

    private static boolean shares(Run waiting, List<Wanted> wanted) {
      return wanted.stream()
          .anyMatch(
              token ->
                  waiting.tokens().awaited().stream()
                      .anyMatch(other -> other.hash().equals(token.hook().hash())));
    }

    private List<Run> waiting() {
      return rivals.runs().stream()
          .map(rivals::run)
          .filter(run -> run.blocked().isPresent())
          .toList();
    }

    private void requireFirst(Run admitted, List<Run> before) {
      var was = before.stream().filter(run -> run.id().equals(admitted.id())).findFirst();
      var tokens = hashes(was.orElseThrow());
      assertThat(before)
          .filteredOn(run -> hashes(run).stream().anyMatch(tokens::contains))
          .as("first in each line")
          .allMatch(run -> turn(run) >= turn(was.get()));
    }

    private static Set<Object> hashes(Run run) {
      return run.tokens().awaited().stream().map(AwaitedToken::hash).collect(Collectors.toSet());
    }

    private static long turn(Run run) {
      return run.blocked().orElseThrow().turn();
    }

    private void check() {
      for (var token : TOKENS) {
        var bound = rivals.get(token).map(hook -> hook.turns().waiting()).orElse(0);
        assertThat(bound).as("a bound of " + token).isGreaterThanOrEqualTo(length(token));
      }
      for (var run : waiting()) {
        assertThat(run.tokens().marks())
            .containsAll(run.tokens().awaited().stream().map(AwaitedToken::hash).toList());
        run.tokens()
            .awaited()
            .forEach(
                token ->
                    assertThat(rivals.waiting(new HookId(run.id().workspace(), token.hash())))
                        .contains(new Line.Place(turn(run), run.id())));
        if (isTurnOf(run)) {
          assertThat(hints)
              .as("a turn to pass for " + run.id())
              .anyMatch(hint -> hashes(run).contains(hint.hook().hash()));
        }
      }
    }

    private boolean isTurnOf(Run run) {
      return run.tokens().awaited().stream()
          .map(token -> new HookId(run.id().workspace(), token.hash()))
          .allMatch(
              id ->
                  rivals.owner(id).isEmpty()
                      && rivals.waiting(id).getFirst().run().equals(run.id()));
    }

    /** When nothing new comes, every run gets its turn and ends. */
    private void drain() {
      var ended = new HashSet<RunId>();
      while (true) {
        while (!hints.isEmpty()) {
          does(List.of(hints.removeFirst()));
          collect();
          check();
        }
        var open =
            rivals.runs().stream()
                .filter(run -> !rivals.run(run).hasEnded())
                .filter(run -> rivals.run(run).blocked().isEmpty())
                .findFirst();
        if (open.isEmpty()) {
          break;
        }
        assertThat(ended.add(open.get())).isTrue();
        rivals.later(PAST_JUMPS).completes(open.get());
        collect();
        check();
      }
      assertThat(waiting()).isEmpty();
    }
  }
}
