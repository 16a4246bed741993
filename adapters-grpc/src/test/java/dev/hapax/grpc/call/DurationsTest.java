package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Duration;
import dev.hapax.domain.LeaseLimits;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationsTest {
  private static final java.time.Duration DEFAULT = java.time.Duration.ofSeconds(30);

  @ParameterizedTest(name = "{0} s and {1} ns")
  @CsvSource({
    "-1, 0, -1",
    "0, 50000000, 0.05",
    "0, -1, -0.000000001",
    "90000, 0, 90000",
    "-1, -500000000, -1.5"
  })
  @DisplayName("given a lease outside its limits, when read, then the message has rule and value")
  void limit(long seconds, int nanos, String value) {
    var sent = Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
    assertThatThrownBy(() -> Durations.read("lease", true, sent, DEFAULT, LeaseLimits::checked))
        .isInstanceOf(InvalidFieldException.class)
        .hasMessageContaining("lease must be between 100 ms and 24 h (was " + value + " s)");
  }
}
