package dev.hapax.bootstrap.cli;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.encoder.JsonEscapeUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Writes lines of the log as JSON: {@code ts}, {@code level}, {@code logger}, {@code thread},
 * {@code message}, {@code error} with a stack trace, and the trace of a call. A line of the audit
 * log has the object {@code audit} instead of a message.
 */
final class JsonLogEncoder extends EncoderBase<ILoggingEvent> {
  private static final byte[] NOTHING = {};
  private static final List<String> TRACE = List.of("trace_id", "span_id");

  private final ThrowableProxyConverter stackTraces = new ThrowableProxyConverter();

  @Override
  public void start() {
    stackTraces.start();
    super.start();
  }

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    var line = new StringBuilder(256).append("{\"ts\":\"").append(event.getInstant()).append('"');
    add(line, "level", event.getLevel().toString());
    add(line, "logger", event.getLoggerName());
    add(line, "thread", event.getThreadName());
    if (event.getLoggerName().equals(Logging.AUDIT)) {
      line.append(",\"audit\":").append(event.getFormattedMessage());
    } else {
      add(line, "message", event.getFormattedMessage());
    }
    addTrace(line, event.getMDCPropertyMap());
    if (event.getThrowableProxy() != null) {
      add(line, "error", stackTraces.convert(event));
    }
    return line.append("}\n").toString().getBytes(StandardCharsets.UTF_8);
  }

  /** The trace of the call that the line belongs to, or that an agent of OpenTelemetry says. */
  private static void addTrace(StringBuilder line, Map<String, String> context) {
    for (var name : TRACE) {
      var value = context.get(name);
      if (value != null) {
        add(line, name, value);
      }
    }
  }

  private static void add(StringBuilder line, String name, String value) {
    line.append(",\"")
        .append(name)
        .append("\":\"")
        .append(JsonEscapeUtil.jsonEscapeString(value))
        .append('"');
  }
}
