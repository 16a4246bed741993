package dev.hapax.testkit.simulation.turn;

import static dev.hapax.testkit.simulation.turn.Extra.CREATED_HOOKS;
import static dev.hapax.testkit.simulation.turn.Extra.DISPOSED_HOOKS;
import static dev.hapax.testkit.simulation.turn.Extra.EQUAL_TURNS;
import static dev.hapax.testkit.simulation.turn.Extra.LIMIT_CHANGES;
import static dev.hapax.testkit.simulation.turn.Extra.PAUSES;
import static dev.hapax.testkit.simulation.turn.Extra.PURGES;
import static dev.hapax.testkit.simulation.turn.Extra.REOPENS;
import static dev.hapax.testkit.simulation.turn.Extra.RETENTION;
import static dev.hapax.testkit.simulation.turn.Extra.RETRIES;
import static dev.hapax.testkit.simulation.turn.Extra.SUPERSEDED_WAITING;
import static dev.hapax.testkit.simulation.turn.MarkModel.Policy.QUEUE;
import static dev.hapax.testkit.simulation.turn.MarkModel.Policy.QUEUE_LATEST;
import static dev.hapax.testkit.simulation.turn.MarkModel.Policy.REJECT;
import static dev.hapax.testkit.simulation.turn.MarkModel.Policy.SUPERSEDE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.simulation.turn.MarkModel.Policy;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** All states of the lines in which runs wait for tokens and limits. */
class TurnModelTest {
  // sets of lines
  private static final int A = 1;
  private static final int B = 2;
  private static final int C = 4;
  private static final int AB = A | B;
  private static final int BC = B | C;
  private static final int AC = A | C;

  /** The number of steps of a counterexample that a reader can follow. */
  private static final int SHORT = 16;

  static List<LineModel.Bounds> lines() {
    return List.of(
        limits(
            "start", 12_000, List.of(1, 2), Map.of(REOPENS, 1), run(AB), run(AB), run(AB), run(B)),
        limits("ring", 6_000, List.of(1, 1, 1), Map.of(REOPENS, 1), run(AB), run(BC), run(AC)),
        limits(
            "changed limit",
            4_000,
            List.of(2, 1),
            Map.of(LIMIT_CHANGES, 1, EQUAL_TURNS, 1),
            run(A),
            run(A),
            run(AB),
            run(B)),
        limits(
            "retries", 3_500, List.of(2, 1), Map.of(RETRIES, 2), run(A, B), run(A, B), run(A, B)),
        limits(
            "pauses", 6_000, List.of(1, 2), Map.of(PAUSES, 1), run(0, AB), run(0, AB), run(0, B)),
        limits(
            "retries and pauses",
            5_000,
            List.of(1, 1),
            Map.of(RETRIES, 1, PAUSES, 1, REOPENS, 1),
            run(A, B),
            run(A, B)),
        limits(
            "two steps",
            16_000,
            List.of(1, 1),
            Map.of(PAUSES, 1, EQUAL_TURNS, 1),
            run(0, A, B),
            run(0, B, A)));
  }

  static List<LineModel.Bounds> moreLines() {
    return List.of(
        limits(
            "ring of four",
            60_000,
            List.of(1, 2, 1),
            Map.of(REOPENS, 1),
            run(AB),
            run(BC),
            run(AC),
            run(B)),
        limits(
            "pauses of three",
            400_000,
            List.of(2, 1),
            Map.of(PAUSES, 1, REOPENS, 1),
            run(A, B),
            run(A, B),
            run(0, B)),
        limits(
            "retries of two steps",
            800_000,
            List.of(1, 1),
            Map.of(RETRIES, 1, PAUSES, 1, REOPENS, 1, EQUAL_TURNS, 1),
            run(0, A, B),
            run(0, B, A)));
  }

  static List<MarkModel.Bounds> marks() {
    return List.of(
        tokens("queue", 2_000, Map.of(), queue(AB), queue(AB), queue(A), queue(B)),
        tokens("retries", 8_000, Map.of(REOPENS, 1), queue(A), queue(AB), queue(B)),
        tokens("supersede", 2_500, Map.of(), queue(A), queue(AB), queue(B), start(SUPERSEDE, A)),
        tokens(
            "supersede the first",
            2_500,
            Map.of(SUPERSEDED_WAITING, 1),
            queue(A),
            queue(AB),
            queue(B),
            start(SUPERSEDE, A)),
        tokens(
            "hooks",
            15_000,
            Map.of(CREATED_HOOKS, 2, DISPOSED_HOOKS, 1, RETENTION, 1),
            queue(A),
            queue(AB),
            queue(B)),
        tokens(
            "retention",
            40_000,
            Map.of(REOPENS, 1, DISPOSED_HOOKS, 1, RETENTION, 1),
            queue(A),
            queue(AB),
            start(REJECT, A)),
        tokens(
            "latest",
            2_500,
            Map.of(RETENTION, 1),
            start(QUEUE_LATEST, A),
            start(QUEUE_LATEST, A),
            queue(AB),
            start(REJECT, B)),
        tokens("purge", 12_000, Map.of(PURGES, 1), queue(A), queue(B), queue(AB), queue(A)));
  }

  static List<MarkModel.Bounds> moreMarks() {
    return List.of(
        tokens("five runs", 50_000, Map.of(), queue(AB), queue(BC), queue(AC), queue(A), queue(B)),
        tokens(
            "supersede and retry",
            100_000,
            Map.of(REOPENS, 1),
            queue(A),
            queue(AB),
            queue(B),
            start(SUPERSEDE, AB)),
        tokens(
            "latest and retry",
            300_000,
            Map.of(REOPENS, 1, RETENTION, 1),
            start(QUEUE_LATEST, AB),
            start(QUEUE_LATEST, A),
            queue(AB),
            start(QUEUE_LATEST, B)),
        tokens(
            "hooks and retry",
            250_000,
            Map.of(REOPENS, 1, CREATED_HOOKS, 1, DISPOSED_HOOKS, 1, RETENTION, 1),
            queue(A),
            queue(AB),
            queue(B)));
  }

  private static LineModel.Bounds limits(
      String name,
      int states,
      List<Integer> capacity,
      Map<Extra, Integer> extras,
      LineModel.Kind... kinds) {
    return new LineModel.Bounds(name, states, capacity, List.of(kinds), extras);
  }

  private static LineModel.Kind run(Integer... stages) {
    return new LineModel.Kind(List.of(stages));
  }

  private static MarkModel.Bounds tokens(
      String name, int states, Map<Extra, Integer> extras, MarkModel.Kind... kinds) {
    return new MarkModel.Bounds(name, states, List.of(kinds), extras);
  }

  private static MarkModel.Kind queue(int tokens) {
    return start(QUEUE, tokens);
  }

  private static MarkModel.Kind start(Policy policy, int tokens) {
    return new MarkModel.Kind(policy, tokens);
  }

  @ParameterizedTest
  @MethodSource
  @DisplayName("given limits, then no run passes another one, and none waits without a reason")
  void lines(LineModel.Bounds bounds) {
    requireRules(bounds.states(), hints -> new LineModel(bounds, hints, Mutant.NONE));
  }

  @ParameterizedTest
  @MethodSource
  @DisplayName("given marked owners, then no run passes another one or waits without a reason")
  void marks(MarkModel.Bounds bounds) {
    requireRules(bounds.states(), hints -> new MarkModel(bounds, hints, Mutant.NONE));
  }

  @ParameterizedTest
  @MethodSource
  @Tag("nightly")
  @DisplayName("the same with more runs and events of limits")
  void moreLines(LineModel.Bounds bounds) {
    lines(bounds);
  }

  @ParameterizedTest
  @MethodSource
  @Tag("nightly")
  @DisplayName("the same with more runs and events of tokens")
  void moreMarks(MarkModel.Bounds bounds) {
    marks(bounds);
  }

  private static void requireRules(int states, Function<Boolean, Model> model) {
    var withHints = Exploration.of(model.apply(true));
    assertThat(withHints.counterexample()).isEmpty();
    var withoutHints = Exploration.of(model.apply(false));
    assertThat(withoutHints.counterexample()).isEmpty();
    assertThat(withHints.states() + withoutHints.states()).as("states").isGreaterThan(states);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  @DisplayName("given a fault of the protocol, then a short counterexample breaks a rule")
  void mutants(Mutant mutant) {
    var models =
        mutant.isOfMarks()
            ? marks().stream().<Model>map(bounds -> new MarkModel(bounds, true, mutant))
            : lines().stream().<Model>map(bounds -> new LineModel(bounds, true, mutant));
    assertThat(models.flatMap(model -> Exploration.of(model).counterexample().stream()).findFirst())
        .hasValueSatisfying(
            found -> {
              assertThat(found.rule()).as(found.toString()).isEqualTo(mutant.breaks);
              assertThat(found.trace()).hasSizeLessThanOrEqualTo(SHORT);
            });
  }
}
