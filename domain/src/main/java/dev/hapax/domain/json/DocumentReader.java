package dev.hapax.domain.json;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Text;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Reads a document and collects up to {@link #MAX_FINDINGS} violations. Unreadable members and
 * nulls count as absent.
 */
public final class DocumentReader {
  /** Bounds the response: a small document can have many violations. */
  public static final int MAX_FINDINGS = 1_000;

  private static final String FORM = "form";

  private final Document document;
  private final List<Finding> findings = new ArrayList<>();

  private record Finding(
      Optional<String> step, String rule, String pointer, String message, String advice) {}

  public DocumentReader(Document document) {
    this.document = document;
    document
        .duplicates()
        .forEach(
            pointer ->
                found(
                    Optional.empty(),
                    "duplicate",
                    pointer,
                    "\"%s\" is listed twice".formatted(lastOf(pointer)),
                    "Keep one of them."));
  }

  private static String lastOf(String pointer) {
    return pointer.substring(pointer.lastIndexOf('/') + 1);
  }

  public void found(
      Optional<String> step, String rule, String pointer, String message, String advice) {
    if (findings.size() < MAX_FINDINGS) {
      findings.add(new Finding(step, rule, pointer, message, advice));
    }
  }

  /** Reports a value that has the wrong form. */
  public void malformed(Optional<String> step, String pointer, String message, String advice) {
    found(step, FORM, pointer, message, advice);
  }

  public boolean isClean() {
    return findings.isEmpty();
  }

  /** The violations in the order in which they were found. */
  public List<Violation> violations(String subject) {
    return findings.stream()
        .map(
            finding ->
                new Violation(
                    subject,
                    finding.step(),
                    finding.rule(),
                    finding.pointer(),
                    document.line(finding.pointer()),
                    finding.message(),
                    finding.advice()))
        .toList();
  }

  /** The root object; empty if the root is not an object. */
  public Json.Obj root() {
    if (document.root() instanceof Json.Obj object) {
      return object;
    }
    malformed(Optional.empty(), "", "is not a JSON object", "Write { … }.");
    return Json.Obj.EMPTY;
  }

  public void onlyKnown(Optional<String> step, String pointer, Json.Obj object, Set<String> known) {
    for (var name : object.members().keySet()) {
      if (!known.contains(name)) {
        found(
            step,
            "unknown-field",
            Document.pointer(pointer, name),
            "\"%s\" is not a field".formatted(name),
            "Remove it; there are " + String.join(", ", known.stream().sorted().toList()) + ".");
      }
    }
  }

  public static Optional<Json> member(Json.Obj object, String name) {
    var value = object.members().get(name);
    return value == null || value instanceof Json.Null ? Optional.empty() : Optional.of(value);
  }

  /** Reads a required member. */
  public Optional<Json> required(
      Optional<String> step, String pointer, Json.Obj object, String name) {
    var value = member(object, name);
    if (value.isEmpty()) {
      malformed(step, pointer, "\"%s\" is missing".formatted(name), "Add it.");
    }
    return value;
  }

  /** Reads a name. */
  public Optional<String> name(Optional<String> step, String pointer, Json value) {
    return name(step, pointer, value, Text::requiredName);
  }

  private Optional<String> name(
      Optional<String> step, String pointer, Json value, UnaryOperator<String> rule) {
    if (!(value instanceof Json.Str(var text))) {
      malformed(step, pointer, "is not a string", "Write a name in quotes.");
      return Optional.empty();
    }
    try {
      return Optional.of(rule.apply(text));
    } catch (InvalidValueException e) {
      malformed(step, pointer, e.rule(), "Give it another name.");
      return Optional.empty();
    }
  }

  /** Reads a required name from the root object. */
  public Optional<String> requiredName(Json.Obj root, String name) {
    return requiredName(root, name, Text::requiredName);
  }

  /** Like {@link #requiredName}, but short. */
  public Optional<String> requiredShortName(Json.Obj root, String name) {
    return requiredName(root, name, Text::requiredShortName);
  }

  private Optional<String> requiredName(Json.Obj root, String name, UnaryOperator<String> rule) {
    return required(Optional.empty(), "", root, name)
        .flatMap(value -> name(Optional.empty(), Document.pointer("", name), value, rule));
  }

  /** Reads the elements of an array; only the first ones if there are too many. */
  public List<Json> elements(String pointer, Json value, int most, String form) {
    if (!(value instanceof Json.Array(var elements))) {
      malformed(Optional.empty(), pointer, "is not an array", "Write %s.".formatted(form));
      return List.of();
    }
    if (elements.size() > most) {
      malformed(
          Optional.empty(),
          pointer,
          String.format(Locale.ROOT, "has %d elements", elements.size()),
          String.format(Locale.ROOT, "At most %d.", most));
    }
    return elements.subList(0, Math.min(elements.size(), most));
  }

  /** Reads the names in an array, which must be unique. */
  public List<String> names(String pointer, Json value, int most) {
    return names(pointer, value, most, Text::requiredName);
  }

  /** Like {@link #names}, but short. */
  public List<String> shortNames(String pointer, Json value, int most) {
    return names(pointer, value, most, Text::requiredShortName);
  }

  private List<String> names(String pointer, Json value, int most, UnaryOperator<String> rule) {
    var elements = elements(pointer, value, most, "[\"…\", \"…\"]");
    var names = new LinkedHashSet<String>();
    for (var i = 0; i < elements.size(); i++) {
      var at = Document.pointer(pointer, "" + i);
      name(Optional.empty(), at, elements.get(i), rule)
          .ifPresent(
              name -> {
                if (!names.add(name)) {
                  found(
                      Optional.empty(),
                      "duplicate",
                      at,
                      "\"%s\" is listed twice".formatted(name),
                      "Keep one of them.");
                }
              });
    }
    return List.copyOf(names);
  }
}
