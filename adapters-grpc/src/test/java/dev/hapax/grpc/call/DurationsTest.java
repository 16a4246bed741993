package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
  @ParameterizedTest
  @ValueSource(longs = {0, 1_500, -1_500, -1, -2_000})
  @DisplayName("a duration is valid when encoded, and decoded as it was")
  void roundTrip(long millis) {
    var encoded = Durations.encode(Duration.ofMillis(millis));
    assertThat(com.google.protobuf.util.Durations.isValid(encoded)).isTrue();
    assertThat(Durations.decode(encoded)).isEqualTo(Duration.ofMillis(millis));
  }
}
