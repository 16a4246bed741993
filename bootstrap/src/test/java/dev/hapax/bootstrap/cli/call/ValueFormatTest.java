package dev.hapax.bootstrap.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ValueFormatTest {
  private static final Timestamp TEN = Timestamp.newBuilder().setSeconds(36_000).build();

  @Test
  void saysHowLongAgoOrAheadATimeIs() {
    assertThat(ValueFormat.moment(TEN, Instant.ofEpochSecond(36_030)))
        .isEqualTo("1970-01-01T10:00:00Z (30s ago)");
    assertThat(ValueFormat.moment(TEN, Instant.ofEpochSecond(28_800)))
        .isEqualTo("1970-01-01T10:00:00Z (in 2h)");
  }

  @Test
  void isExactAboutWhatWasFast() {
    assertThat(ValueFormat.took(TEN, Timestamps.fromMillis(36_000_250))).isEqualTo("250ms");
    assertThat(ValueFormat.took(TEN, Timestamps.fromMillis(36_090_250))).isEqualTo("90s");
  }

  @Test
  void keepsALineALine() {
    assertThat(ValueFormat.line("{\n  \"a\": 1,\r\n\u001b[2J \"b\": 2\n}"))
        .isEqualTo("{ \"a\": 1, [2J \"b\": 2 }");
    assertThat(ValueFormat.line("x".repeat(500))).hasSize(120).endsWith("…");
  }
}
