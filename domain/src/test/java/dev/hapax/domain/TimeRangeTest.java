package dev.hapax.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TimeRangeTest {
  private static final Instant START = Instant.parse("2026-01-01T12:00:00Z");
  private static final Instant END = START.plusSeconds(60);

  @Test
  @DisplayName("a range has its beginning and not its end")
  void bounds() {
    var range = new TimeRange(Optional.of(START), Optional.of(END));

    assertThat(range.contains(START)).isTrue();
    assertThat(range.contains(END.minusNanos(1))).isTrue();
    assertThat(range.contains(START.minusNanos(1))).isFalse();
    assertThat(range.contains(END)).isFalse();
    assertThat(range.isAll()).isFalse();
  }

  @Test
  @DisplayName("an absent bound is none")
  void unbounded() {
    assertThat(TimeRange.ALL.contains(Instant.MIN)).isTrue();
    assertThat(TimeRange.ALL.contains(Instant.MAX)).isTrue();
    assertThat(TimeRange.ALL.isAll()).isTrue();
    assertThat(TimeRange.before(Optional.of(END)).contains(Instant.MIN)).isTrue();
    assertThat(TimeRange.before(Optional.of(END)).contains(END)).isFalse();
    assertThat(TimeRange.before(Optional.empty())).isEqualTo(TimeRange.ALL);
  }
}
