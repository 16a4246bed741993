package dev.hapax.domain.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fence;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RememberedCallsTest {
  private static Grant grant(int number) {
    return new Grant(number, new Fence(number), number, "", Instant.EPOCH, Instant.EPOCH);
  }

  private static OperationClaim claim(int number) {
    return new OperationClaim(States.ID, number, new Fence(number));
  }

  @Test
  @DisplayName("given more failures than are kept, then exactly the last ones are remembered")
  void failures() {
    var calls = RememberedCalls.NONE;
    for (var i = 0; i <= RememberedCalls.FAILURES; i++) {
      calls = calls.andFailed(grant(i), RememberedCalls.Kind.FINAL);
    }

    assertThat(calls.hasFailed(claim(0), RememberedCalls.Kind.FINAL)).isFalse();
    for (var i = 1; i <= RememberedCalls.FAILURES; i++) {
      assertThat(calls.hasFailed(claim(i), RememberedCalls.Kind.FINAL)).isTrue();
      assertThat(calls.hasFailed(claim(i), RememberedCalls.Kind.RETRYABLE)).isFalse();
    }
  }

  @Test
  @DisplayName("given more resolutions than are kept, then exactly the last ones are remembered")
  void resolutions() {
    var calls = RememberedCalls.NONE;
    for (var i = 0; i <= RememberedCalls.RESOLUTIONS; i++) {
      calls = calls.andResolved("r" + i);
    }

    assertThat(calls.hasResolved("r0")).isFalse();
    for (var i = 1; i <= RememberedCalls.RESOLUTIONS; i++) {
      assertThat(calls.hasResolved("r" + i)).isTrue();
    }
  }
}
