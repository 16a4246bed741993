package dev.hapax.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.operation.IdempotencyRule;
import dev.hapax.client.operation.OnStale;
import dev.hapax.client.operation.OperationPolicy;
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

  private static IdempotencyRule rule(Class<?> handler) {
    return IdempotencyFilter.rule(handler.getAnnotation(Idempotent.class));
  }

  @Test
  @DisplayName("given an annotation, then its rule has its values, and the defaults of the policy")
  void rules() {
    assertThat(rule(Defaults.class)).isEqualTo(IdempotencyRule.DEFAULT);
    assertThat(rule(Chosen.class))
        .isEqualTo(
            IdempotencyRule.DEFAULT
                .withKeyRequired(true)
                .withPolicy(
                    OperationPolicy.DEFAULT
                        .withLease(Duration.ofSeconds(5))
                        .withOnStale(OnStale.HOLD)));
    assertThatThrownBy(() -> rule(TooShort.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lease");
  }
}
