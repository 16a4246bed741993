package dev.hapax.domain.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fence;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.operation.Operation.State;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OperationFilterTest {
  private static final Set<String> NAMES =
      Set.of("held", "held by HOLD", "in doubt", "lapsed", "released", "completed", "rejected");
  private static final Set<String> ENDED =
      Set.of("in doubt", "lapsed", "released", "completed", "rejected");

  /** All of {@link States} came to their state an hour ago. */
  private static final TimeRange LATELY =
      new TimeRange(Optional.of(States.NOW.minus(Duration.ofHours(2))), Optional.empty());

  private static final TimeRange EARLIER =
      TimeRange.before(Optional.of(States.NOW.minus(Duration.ofHours(2))));

  private static boolean matches(OperationFilter filter, String name) {
    return filter.matches(States.of(name, new Fence(42)).orElseThrow(), States.NOW);
  }

  private static OperationFilter filter(
      Set<State> states, Optional<String> failureCode, TimeRange ended) {
    return new OperationFilter(states, false, Set.of(), failureCode, TimeRange.ALL, ended);
  }

  private static void assertSelects(OperationFilter filter, Set<String> selected) {
    for (var name : NAMES) {
      assertThat(matches(filter, name)).as(name).isEqualTo(selected.contains(name));
    }
  }

  @Test
  @DisplayName("a filter without conditions selects every operation")
  void all() {
    assertSelects(OperationFilter.ALL, NAMES);
  }

  @Test
  @DisplayName("several states or handlers select operations of each of them")
  void several() {
    assertSelects(
        filter(Set.of(State.RELEASED, State.COMPLETED), Optional.empty(), TimeRange.ALL),
        Set.of("released", "completed"));
    var handlers = Set.of("orders/Place", "orders/Cancel");
    assertSelects(
        new OperationFilter(
            Set.of(), false, handlers, Optional.empty(), TimeRange.ALL, TimeRange.ALL),
        NAMES);
    assertSelects(
        new OperationFilter(
            Set.of(), false, Set.of("none"), Optional.empty(), TimeRange.ALL, TimeRange.ALL),
        Set.of());
  }

  @Test
  @DisplayName("a failure code selects operations that show a failure with it")
  void failures() {
    var code = Optional.of(States.FAILURE.code());
    assertSelects(
        filter(Set.of(), code, TimeRange.ALL), Set.of("in doubt", "released", "rejected"));
    assertSelects(filter(Set.of(), Optional.of("OTHER"), TimeRange.ALL), Set.of());
    assertThat(filter(Set.of(State.COMPLETED), code, TimeRange.ALL).possibleStates()).isEmpty();
  }

  @Test
  @DisplayName("a time of end selects operations that came to their state then")
  void ends() {
    assertSelects(filter(Set.of(), Optional.empty(), LATELY), ENDED);
    assertSelects(filter(Set.of(), Optional.empty(), EARLIER), Set.of());
    assertThat(filter(Set.of(State.IN_PROGRESS), Optional.empty(), LATELY).possibleStates())
        .isEmpty();
  }

  @Test
  @DisplayName("in doubt selects INDETERMINATE operations, and held ones with an expired lease")
  void inDoubt() {
    var filter = OperationFilter.inDoubt(TimeRange.ALL);
    assertSelects(filter, Set.of("in doubt", "lapsed"));
    assertThat(matches(filter, "held by HOLD, lease over")).isTrue();
    assertThat(matches(filter, "held, lease over")).isFalse();
    assertThat(matches(OperationFilter.inDoubt(LATELY), "lapsed")).as("by its grant").isFalse();
    assertThat(filter.possibleStates())
        .containsExactlyInAnyOrder(State.IN_PROGRESS, State.INDETERMINATE);
  }
}
