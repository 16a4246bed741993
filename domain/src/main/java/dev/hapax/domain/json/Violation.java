package dev.hapax.domain.json;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * A violation of a rule by a document.
 *
 * @param subject of the document: a lifecycle or a janitor
 * @param step in which it occurs, if any
 * @param rule the stable code of the rule
 * @param pointer to the value (RFC 6901)
 * @param advice how to fix it
 */
public record Violation(
    String subject,
    Optional<String> step,
    String rule,
    String pointer,
    OptionalInt line,
    String message,
    String advice) {

  /** The message for the author of the document. */
  public String text() {
    var place = step.map(key -> subject + ", step \"" + key + "\"").orElse(subject);
    var at = (line.isPresent() ? "; line " + line.getAsInt() : "") + prefixed(pointer);
    return "%s: %s (%s%s). %s".formatted(place, message, rule, at, advice);
  }

  /** Omits the empty pointer of the root. */
  private static String prefixed(String pointer) {
    return pointer.isEmpty() ? "" : "; " + pointer;
  }
}
