package dev.hapax.domain.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.run.RunStatus;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StuckKindTest {
  @Test
  @DisplayName("every kind of pending state has a party that frees it [C5]")
  void everyState() {
    // the switches have no default: a state that is new has to be put somewhere
    Stream.of(Operation.State.values())
        .flatMap(state -> of(state).stream())
        .forEach(StuckKindTest::isSaid);
    Stream.of(RunStatus.values())
        .flatMap(status -> of(status).stream())
        .forEach(StuckKindTest::isSaid);
    assertThat(ClaimState.Held.class.getPermittedSubclasses())
        .extracting(Class::getSimpleName)
        .containsExactlyInAnyOrder("Claimed", "Recovering");
    Stream.of(StuckKind.values()).forEach(StuckKindTest::isSaid);
  }

  private static void isSaid(StuckKind state) {
    assertThat(state.what()).isNotBlank();
    assertThat(state.how()).isNotBlank();
    assertThat(state.freed()).isNotNull();
  }

  private static Optional<StuckKind> of(Operation.State state) {
    return switch (state) {
      case IN_PROGRESS -> Optional.of(StuckKind.OPERATION_IN_PROGRESS);
      case INDETERMINATE -> Optional.of(StuckKind.OPERATION_INDETERMINATE);
      case RELEASED, COMPLETED, REJECTED -> Optional.empty();
    };
  }

  private static Optional<StuckKind> of(RunStatus status) {
    return switch (status) {
      case PENDING, RUNNING -> Optional.of(StuckKind.TASK_HELD);
      case WAITING -> Optional.of(StuckKind.RUN_DUE);
      case PAUSED -> Optional.of(StuckKind.RUN_PAUSED);
      case FAILED -> Optional.of(StuckKind.RUN_FAILED);
      case COMPLETED, CANCELLED -> Optional.empty();
    };
  }
}
