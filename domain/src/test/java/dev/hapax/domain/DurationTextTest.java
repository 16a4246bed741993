package dev.hapax.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "1d, PT24H",
    "90m, PT1H30M",
    "1h30m, PT1H30M",
    "250ms, PT0.25S",
    "1d2h3m4s5ms, PT26H3M4.005S",
    "0s, PT0S",
    "1.5s, PT1.5S",
    "0.000000001s, PT0.000000001S",
    "1m0.5s, PT1M0.5S",
    "36500d, PT876000H"
  })
  @DisplayName("given a duration in any units, when it is parsed, then it has that length")
  void parses(String text, Duration expected) {
    assertThat(DurationText.parse(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5",
        "soon",
        "-1s",
        "1 h",
        "1H",
        "30m1h",
        "1h1h",
        "1.5h",
        "1e3s",
        "+1s",
        "5min",
        "1.2.3s",
        ".5s",
        "1.s",
        "1s2",
        "ms",
        "1234567890123s"
      })
  @DisplayName("given another text, when it is parsed, then the error shows the form")
  void refuses(String text) {
    assertThatThrownBy(() -> DurationText.parse(text))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage("must be a duration such as 250ms, 30s, 90m, 1h30m or 1d");
  }

  @ParameterizedTest
  @ValueSource(strings = {"36501d", "999999999d999999999h", "999999999999s"})
  @DisplayName("given more than a hundred years, when it is parsed, then it is rejected")
  void refusesWhatIsTooLong(String text) {
    assertThatThrownBy(() -> DurationText.parse(text)).hasMessage("must be 36500d at most");
  }

  @Test
  @DisplayName("given a duration, when it is formatted, then it is short and parses to the same")
  void formats() {
    for (var text : List.of("1d", "90m", "250ms", "36h", "1500ms", "0.000001s", "0s")) {
      assertThat(DurationText.format(DurationText.parse(text))).isEqualTo(text);
    }
    var random = new Random(7);
    for (int i = 0; i < 1_000; i++) {
      var duration = Duration.ofNanos(random.nextLong(DurationText.MAX.toNanos()) >> (i % 60));
      assertThat(DurationText.parse(DurationText.format(duration))).isEqualTo(duration);
    }
  }
}
