package dev.hapax.console.overview;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WorkSamplesTest {
  private static final String QUEUE = "queue mail";
  private static final Instant START = Instant.parse("2026-11-23T12:00:00Z");

  private final WorkSamples samples = new WorkSamples();

  private static Instant after(int minutes) {
    return START.plus(Duration.ofMinutes(minutes));
  }

  private String path(int minutes) {
    return samples.trend("default", after(minutes), QUEUE).path();
  }

  @Test
  @DisplayName("given a minute without visits, then it has no bar, unless nothing has changed")
  void gaps() {
    samples.add("default", after(0), Map.of(QUEUE, 2L));
    samples.add("default", after(2), Map.of(QUEUE, 4L));
    assertThat(path(2)).isEqualTo("M57 16V8h1V16zM59 16V0h1V16z");

    samples.repeat("default", after(4));
    assertThat(path(4)).isEqualTo("M55 16V8h1V16zM57 16V0h1V16zM58 16V0h1V16zM59 16V0h1V16z");
    assertThat(samples.trend("default", after(4), QUEUE).text())
        .isEqualTo("4 now; from 2 to 4 in the last hour");
  }

  @Test
  @DisplayName("given an hour, then older numbers are forgotten")
  void hour() {
    samples.add("default", after(0), Map.of(QUEUE, 100L));
    samples.add("default", after(60), Map.of(QUEUE, 1L));
    assertThat(path(60)).isEqualTo("M59 16V0h1V16z");
  }

  @Test
  @DisplayName("given another workspace, or a queue without numbers, then nothing is drawn")
  void unknown() {
    samples.add("default", after(0), Map.of(QUEUE, 1L));
    samples.repeat("other", after(0));
    assertThat(samples.trend("other", after(0), QUEUE).text()).isEqualTo("unknown");
    assertThat(samples.trend("default", after(0), "queue print").path()).isEmpty();
  }

  @Test
  @DisplayName("given a number above zero beside a large one, then its bar is visible")
  void small() {
    samples.add("default", after(0), Map.of(QUEUE, 1L));
    samples.add("default", after(1), Map.of(QUEUE, 10_000L));
    assertThat(path(1)).startsWith("M58 16V15h1V16z");
  }
}
