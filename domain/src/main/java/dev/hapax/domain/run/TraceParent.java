package dev.hapax.domain.run;

import dev.hapax.domain.InvalidValueException;

/**
 * A span of the caller that the work of a run belongs to, as the header {@code traceparent} of the
 * <a href="https://www.w3.org/TR/trace-context/">W3C Trace Context</a>.
 */
public record TraceParent(String text) {
  private static final String VERSION_0 =
      "00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}";

  public TraceParent {
    if (!isValid(text)) {
      throw new InvalidValueException(
          "must be 00-TRACE_ID-SPAN_ID-FLAGS in lower-case hexadecimal digits");
    }
  }

  /** The trace of the span, in hexadecimal digits. */
  public String traceId() {
    return part(1);
  }

  /** The span, in hexadecimal digits. */
  public String spanId() {
    return part(2);
  }

  private String part(int index) {
    // version, trace, span, flags
    return text.split("-", -1)[index];
  }

  /** Whether a text is the header of a span, of the version that all versions can read. */
  public static boolean isValid(String text) {
    return text.matches(VERSION_0);
  }
}
