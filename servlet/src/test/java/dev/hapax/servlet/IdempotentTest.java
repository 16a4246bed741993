package dev.hapax.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.Operation;
import dev.hapax.client.Operation.OnStale;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The annotation of handlers, as a rule. */
class IdempotentTest {

  @Idempotent
  static final class Defaults {}

  @Idempotent(required = true, leaseMillis = 5000, onStale = OnStale.HOLD)
  static final class Chosen {}

  @Idempotent(leaseMillis = 1)
  static final class TooShort {}

  private static final Operation PAY = Operation.of("POST /pay", "key");

  private static HandlerRule rule(Class<?> handler) {
    return IdempotencyFilter.rule(handler.getAnnotation(Idempotent.class));
  }

  private static Operation operation(Class<?> handler) {
    return rule(handler).options().apply(PAY);
  }

  @Test
  @DisplayName("given an annotation, then its rule has its values, and the defaults of operations")
  void rules() {
    assertThat(rule(Defaults.class).required()).isFalse();
    assertThat(operation(Defaults.class)).usingRecursiveComparison().isEqualTo(PAY);
    assertThat(rule(Chosen.class).required()).isTrue();
    assertThat(operation(Chosen.class))
        .usingRecursiveComparison()
        .isEqualTo(PAY.lease(Duration.ofSeconds(5)).onStale(OnStale.HOLD));
    assertThatThrownBy(() -> rule(TooShort.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lease");
  }
}
