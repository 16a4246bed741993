package dev.hapax.bootstrap.startup.lifecycle;

import com.fasterxml.jackson.core.JsonFactory;
import dev.hapax.domain.json.Violation;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A violation, warning or note about a file. */
public record FileFinding(Path path, Severity severity, Violation what) {
  private static final JsonFactory JSON = new JsonFactory();

  /** The severity of a finding. */
  public enum Severity {
    /** The file cannot be applied. */
    VIOLATION,
    /** The file can be applied, but is probably a mistake. */
    WARNING,
    /** The file needs something that other files or the server may provide. */
    NOTE
  }

  public boolean isViolation() {
    return severity == Severity.VIOLATION;
  }

  /** Returns one line of text. */
  String line() {
    return path + ": " + what.text();
  }

  /** Returns two lines: place and message, then rule and advice. */
  public List<String> lines() {
    return List.of(
        "%s: %s%s%s: %s"
            .formatted(
                place(),
                isViolation() ? "" : name() + ": ",
                what.subject(),
                what.step().map(key -> ", step \"" + key + '"').orElse(""),
                what.message()),
        "    %s%s. %s"
            .formatted(
                what.rule(),
                what.pointer().isEmpty() ? "" : " at " + what.pointer(),
                what.advice()));
  }

  private String place() {
    return what.line().isPresent() ? path + ":" + what.line().getAsInt() : path.toString();
  }

  private String name() {
    return severity.name().toLowerCase(Locale.ROOT);
  }

  /** Returns one JSON object in one line. */
  public String json() throws IOException {
    var text = new StringWriter();
    try (var json = JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("severity", name());
      json.writeStringField("file", path.toString());
      if (what.line().isPresent()) {
        json.writeNumberField("line", what.line().getAsInt());
      }
      json.writeStringField("subject", what.subject());
      if (what.step().isPresent()) {
        json.writeStringField("step", what.step().get());
      }
      json.writeStringField("rule", what.rule());
      json.writeStringField("pointer", what.pointer());
      json.writeStringField("message", what.message());
      json.writeStringField("advice", what.advice());
      json.writeEndObject();
    }
    return text.toString();
  }
}
