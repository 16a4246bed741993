package dev.hapax.postgres.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LifecycleJsonTest {
  @Test
  @DisplayName("given any lifecycle, when it is printed and parsed, then it is equal")
  void roundTrip() {
    for (var seed = 0; seed < 2_000; seed++) {
      var lifecycle = LifecycleSamples.random(new Random(seed));
      assertThat(LifecycleJson.parse(LifecycleJson.print(lifecycle)))
          .as("seed %s", seed)
          .isEqualTo(lifecycle);
    }
  }
}
