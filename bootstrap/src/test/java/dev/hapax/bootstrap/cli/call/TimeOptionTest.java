package dev.hapax.bootstrap.cli.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

class TimeOptionTest {
  private static final Instant NOW = Instant.parse("2030-01-31T10:00:00Z");

  private static TimeOption read(String text) {
    return new TimeOption.Converter().convert(text);
  }

  @Test
  void isADistanceFromNow() {
    assertThat(read("5m").ahead(NOW)).isEqualTo("2030-01-31T10:05:00Z");
    assertThat(read("1h30m").ahead(NOW)).isEqualTo("2030-01-31T11:30:00Z");
    assertThat(read("1d").ago(NOW)).isEqualTo("2030-01-30T10:00:00Z");
    assertThat(read("5m").ago(NOW)).isEqualTo("2030-01-31T09:55:00Z");
  }

  @Test
  void orATimeOfTheCalendar() {
    assertThat(read("2031-02-01T12:00:00+02:00").ahead(NOW)).isEqualTo("2031-02-01T10:00:00Z");
    assertThat(read("2031-02-01T12:00:00Z").ago(NOW)).isEqualTo("2031-02-01T12:00:00Z");
  }

  @Test
  void orNothing() {
    assertThatThrownBy(() -> read("tomorrow"))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("'tomorrow' is neither a duration such as 5m nor a time");
    assertThatThrownBy(() -> read("5parsecs")).hasMessageContaining("must be a duration");
  }
}
