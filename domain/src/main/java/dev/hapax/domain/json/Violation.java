package dev.hapax.domain.json;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Something that is wrong with a document.
 *
 * @param subject what the document is about: a lifecycle, a janitor
 * @param step the step it is in, if it is in one
 * @param rule by a name that does not change
 * @param pointer where it is (RFC 6901)
 * @param advice what to do
 */
public record Violation(
    String subject,
    Optional<String> step,
    String rule,
    String pointer,
    OptionalInt line,
    String message,
    String advice) {

  /** For whoever wrote the document. */
  public String text() {
    var place = step.map(key -> subject + ", step \"" + key + "\"").orElse(subject);
    var at = (line.isPresent() ? "; line " + line.getAsInt() : "") + prefixed(pointer);
    return "%s: %s (%s%s). %s".formatted(place, message, rule, at, advice);
  }

  /** The document itself has no pointer to speak of. */
  private static String prefixed(String pointer) {
    return pointer.isEmpty() ? "" : "; " + pointer;
  }
}
