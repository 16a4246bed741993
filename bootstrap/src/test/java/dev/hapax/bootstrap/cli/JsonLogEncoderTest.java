package dev.hapax.bootstrap.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

class JsonLogEncoderTest {
  private final JsonLogEncoder encoder = new JsonLogEncoder();

  JsonLogEncoderTest() {
    encoder.start();
  }

  private String encoded(String logger, String message, @Nullable Throwable error) {
    var event =
        new LoggingEvent(
            "",
            ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(logger),
            Level.WARN,
            message,
            error,
            null);
    event.setInstant(Instant.parse("2026-01-01T12:00:00.5Z"));
    event.setThreadName("main");
    return new String(encoder.encode(event), StandardCharsets.UTF_8);
  }

  @Test
  @DisplayName("given quotes, line ends and a stack trace, then the line is one escaped object")
  void escaped() {
    assertThat(encoded("dev.hapax.Server", "says \"no\"\nand ü", null))
        .isEqualTo(
            """
            {"ts":"2026-01-01T12:00:00.500Z","level":"WARN","logger":"dev.hapax.Server","thread":"main",\
            "message":"says \\"no\\"\\nand ü"}
            """);
    assertThat(encoded("dev.hapax.Server", "broken", new IllegalStateException("why")))
        .contains("\"error\":\"java.lang.IllegalStateException: why\\n")
        .matches("[^\n]*\n");
  }

  @Test
  @DisplayName(
      "given a line that belongs to a call with a trace, then it has the trace and the span")
  void traced() {
    MDC.put("trace_id", "0af7651916cd43dd8448eb211c80319c");
    MDC.put("span_id", "b7ad6b7169203331");
    MDC.put("other", "hidden");
    try {
      assertThat(encoded(Logging.AUDIT, "{}", null))
          .endsWith(
              "\"audit\":{},\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\","
                  + "\"span_id\":\"b7ad6b7169203331\"}\n");
    } finally {
      MDC.clear();
    }
    assertThat(encoded("dev.hapax.Server", "after it", null)).doesNotContain("trace_id");
  }

  @Test
  @DisplayName("given a line of the audit log, then its object is kept")
  void audit() {
    assertThat(encoded(Logging.AUDIT, "{\"method\":\"m\"}", null))
        .endsWith("\"thread\":\"main\",\"audit\":{\"method\":\"m\"}}\n");
  }
}
