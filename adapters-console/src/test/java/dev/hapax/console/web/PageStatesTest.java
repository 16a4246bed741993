package dev.hapax.console.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PageStatesTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  @Test
  @DisplayName("given tabs with runs of consecutive ids, then no two are read again within 5 s")
  void spread() {
    var shifts =
        IntStream.range(0, 20)
            .mapToLong(n -> PageStates.shiftMillis("/w/shop/runs/run_" + (1_001 + n), LONG))
            .sorted()
            .toArray();

    assertThat(IntStream.range(1, shifts.length).mapToLong(n -> shifts[n] - shifts[n - 1]))
        .allMatch(apart -> apart >= 5_000);
  }
}
