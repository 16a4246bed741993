package dev.hapax.grpc.lifecycle;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.json.Document;
import dev.hapax.domain.json.DocumentReader;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.json.Violation;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleReader;
import dev.hapax.grpc.call.JsonDocument;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The result of parsing the JSON of a lifecycle.
 *
 * @param name from the text, even if the rest is invalid; may be empty
 * @param lifecycle empty if there are violations
 * @param warnings for what is valid but probably a mistake
 */
public record ParsedLifecycle(
    String name,
    Optional<Lifecycle> lifecycle,
    List<Violation> violations,
    List<Violation> warnings) {
  /** Parses a text; malformed JSON is one violation. */
  public static ParsedLifecycle read(String text) {
    try {
      return read(JsonDocument.parse(text));
    } catch (InvalidValueException e) {
      var violation =
          new Violation(
              "lifecycle ?",
              Optional.empty(),
              "form",
              "",
              OptionalInt.empty(),
              e.rule(),
              "Write it as JSON.");
      return new ParsedLifecycle("", Optional.empty(), List.of(violation), List.of());
    }
  }

  public static ParsedLifecycle read(Document document) {
    var read = LifecycleReader.read(document);
    return new ParsedLifecycle(
        name(document), read.lifecycle(), read.violations(), read.warnings());
  }

  private static String name(Document document) {
    return document.root() instanceof Json.Obj root
            && DocumentReader.member(root, "lifecycle").orElse(null) instanceof Json.Str(var name)
        ? name
        : "";
  }
}
