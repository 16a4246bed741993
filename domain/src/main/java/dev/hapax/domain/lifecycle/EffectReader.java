package dev.hapax.domain.lifecycle;

import dev.hapax.domain.DurationText;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.Text;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.json.Document;
import dev.hapax.domain.json.DocumentReader;
import dev.hapax.domain.json.Json;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Reads the after-effect terms of a lifecycle document. */
final class EffectReader {
  static final String EFFECTS = "after_effects";
  static final String DEFINITION = "definition";
  static final String VERSION = "definition_version";
  static final String LEASE = "lease";
  static final String RETRY = "retry";
  static final String MAX_ATTEMPTS = "max_attempts";
  static final String INITIAL = "initial";
  static final String FACTOR = "factor";
  static final String MAX = "max";
  static final String NON_RETRYABLE = "non_retryable";
  private static final Set<String> FIELDS = Set.of(DEFINITION, VERSION, LEASE, RETRY);
  private static final Set<String> RETRY_FIELDS =
      Set.of(MAX_ATTEMPTS, INITIAL, FACTOR, MAX, NON_RETRYABLE);
  private static final String OF_THE_SERVER = "hapax.";
  private static final RetryPolicy UNSET = RetryPolicy.DEFAULT;

  private final DocumentReader reader;
  private final Annotations annotations;

  /** A parser of one value, which may throw. */
  private interface Reading<T> {
    T read(Json value);
  }

  EffectReader(DocumentReader reader, Annotations annotations) {
    this.reader = reader;
    this.annotations = annotations;
  }

  Map<String, EffectTerms> read(Json.Obj root) {
    var pointer = Document.pointer("", EFFECTS);
    var effects = new LinkedHashMap<String, EffectTerms>();
    object(pointer, DocumentReader.member(root, EFFECTS))
        .members()
        .forEach(
            (name, value) -> {
              var at = Document.pointer(pointer, name);
              var terms = terms(at, annotations.without(at, object(at, Optional.of(value))));
              if (isName(at, terms.of(name))) {
                effects.put(name, terms);
              }
            });
    return effects;
  }

  private boolean isName(String at, Effect effect) {
    try {
      Text.requiredName(effect.name());
      Text.requiredName(effect.version());
      return true;
    } catch (InvalidValueException e) {
      malformed(at, "the name " + e.rule(), "Give it another name.");
      return false;
    }
  }

  private Json.Obj object(String at, Optional<Json> value) {
    if (value.isEmpty()) {
      return Json.Obj.EMPTY;
    }
    if (value.get() instanceof Json.Obj object) {
      return object;
    }
    malformed(at, "is not an object", "Write { … }.");
    return Json.Obj.EMPTY;
  }

  private EffectTerms terms(String at, Json.Obj effect) {
    reader.onlyKnown(Optional.empty(), at, effect, FIELDS);
    return DocumentReader.member(effect, DEFINITION).isPresent()
            || DocumentReader.member(effect, VERSION).isPresent()
        ? registered(at, effect)
        : new EffectTerms.Queued(
            time(at, effect, LEASE, EffectTerms.Queued.DEFAULT.lease(), LeaseLimits::checked),
            retry(Document.pointer(at, RETRY), DocumentReader.member(effect, RETRY)));
  }

  /**
   * Reads a reference to a registered definition, whose steps have their own leases and retries.
   */
  private EffectTerms registered(String at, Json.Obj effect) {
    for (var field : List.of(LEASE, RETRY)) {
      if (DocumentReader.member(effect, field).isPresent()) {
        malformed(
            Document.pointer(at, field),
            "a registered definition sets this for each of its steps",
            "Remove it, or remove the definition.");
      }
    }
    return new EffectTerms.Registered(name(at, effect, DEFINITION), name(at, effect, VERSION));
  }

  private String name(String at, Json.Obj effect, String field) {
    var pointer = Document.pointer(at, field);
    var name =
        reader
            .required(Optional.empty(), at, effect, field)
            .flatMap(value -> reader.name(Optional.empty(), pointer, value))
            .orElse("?");
    if (field.equals(DEFINITION) && name.startsWith(OF_THE_SERVER)) {
      malformed(
          pointer,
          "begins with \"%s\", which is reserved for the server".formatted(OF_THE_SERVER),
          "Use a definition of your own.");
    }
    return name;
  }

  private RetryPolicy retry(String at, Optional<Json> value) {
    var retry = annotations.without(at, object(at, value));
    reader.onlyKnown(Optional.empty(), at, retry, RETRY_FIELDS);
    return new RetryPolicy(
        number(at, retry, MAX_ATTEMPTS, UNSET.maxAttempts(), EffectReader::attempts),
        time(at, retry, INITIAL, UNSET.initial(), RetryPolicy::requirePause),
        number(at, retry, FACTOR, UNSET.factor(), EffectReader::factor),
        time(at, retry, MAX, UNSET.max(), RetryPolicy::requirePause),
        codes(Document.pointer(at, NON_RETRYABLE), DocumentReader.member(retry, NON_RETRYABLE)));
  }

  private static int attempts(Json value) {
    return RetryPolicy.requireAttempts(Integer.parseInt(number(value)));
  }

  private static double factor(Json value) {
    return RetryPolicy.requireFactor(Double.parseDouble(number(value)));
  }

  private static String number(Json value) {
    if (value instanceof Json.Num(var text)) {
      return text;
    }
    throw new NumberFormatException("is not a number");
  }

  private <T> T number(String at, Json.Obj object, String field, T unset, Reading<T> reading) {
    return read(at, object, field, unset, reading, "Write a number, without quotes.");
  }

  private Duration time(
      String at, Json.Obj object, String field, Duration unset, UnaryOperator<Duration> rule) {
    return read(
        at,
        object,
        field,
        unset,
        value -> rule.apply(DurationText.parse(value instanceof Json.Str(var text) ? text : "")),
        "Write it as \"500ms\", \"30s\", \"1h30m\" or \"1d\".");
  }

  private <T> T read(
      String at, Json.Obj object, String field, T unset, Reading<T> reading, String advice) {
    var value = DocumentReader.member(object, field);
    try {
      return value.isPresent() ? reading.read(value.get()) : unset;
    } catch (InvalidValueException e) {
      malformed(Document.pointer(at, field), e.rule(), advice);
    } catch (NumberFormatException _) {
      malformed(Document.pointer(at, field), "is not a valid number", advice);
    }
    return unset;
  }

  private Set<String> codes(String at, Optional<Json> value) {
    var codes = new LinkedHashSet<String>();
    var elements =
        value
            .map(given -> reader.elements(at, given, RetryPolicy.MAX_CODES, "[\"…\", \"…\"]"))
            .orElse(List.of());
    for (var i = 0; i < elements.size(); i++) {
      reader
          .name(Optional.empty(), Document.pointer(at, "" + i), elements.get(i))
          .ifPresent(codes::add);
    }
    return codes;
  }

  private void malformed(String pointer, String message, String advice) {
    reader.malformed(Optional.empty(), pointer, message, advice);
  }
}
