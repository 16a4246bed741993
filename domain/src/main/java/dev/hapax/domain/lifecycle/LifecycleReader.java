package dev.hapax.domain.lifecycle;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Text;
import dev.hapax.domain.json.Document;
import dev.hapax.domain.json.DocumentReader;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.json.Violation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** Reads a lifecycle document, and collects all violations. */
public final class LifecycleReader {
  static final String CLAIM = "successful_claim_state";
  static final String TO = "successful_state";
  static final String STATUS = "status";
  static final String STATUSES = "status_types";
  private static final String CLAIM_SYNONYM = "claim_state";
  static final String ACTION = "action";
  static final String EFFECT = "success_after_effect";
  static final String NAME = "lifecycle";
  static final String MODULE = "module";
  static final String ENTITY = "entity";
  static final String STEPS = "steps";
  static final String NON_IDEMPOTENT = "non_idempotent_actions";
  static final String STEP_ID = "step_id";
  static final String STEP_KEY = "step_key";
  private static final Set<String> FIELDS =
      Set.of(NAME, MODULE, ENTITY, STATUSES, STEPS, NON_IDEMPOTENT, EffectReader.EFFECTS);
  private static final Set<String> STEP_FIELDS =
      Set.of(STEP_ID, STEP_KEY, STATUS, CLAIM, CLAIM_SYNONYM, TO, ACTION, EFFECT);
  private static final int TUPLE = 2;
  private static final Json NONE = new Json.Array(List.of());

  private final Document document;
  private final DocumentReader reader;
  private final Annotations annotations = new Annotations();
  private final Json.Obj root;

  private LifecycleReader(Document document) {
    this.document = document;
    this.reader = new DocumentReader(document);
    this.root = annotations.without("", reader.root());
  }

  /**
   * The result of reading a document.
   *
   * @param lifecycle present if there are no violations
   * @param warnings about what is allowed but probably a mistake
   */
  public record Read(
      Optional<Lifecycle> lifecycle, List<Violation> violations, List<Violation> warnings) {}

  /** A parser of one value at a pointer. */
  private interface Reading<T> {
    Optional<T> read(String pointer, Json value);
  }

  public static Read read(Document document) {
    return new LifecycleReader(document).read();
  }

  /**
   * Reads a stored lifecycle without checking the rules, which may have changed since it was
   * accepted.
   */
  public static Lifecycle readAgain(Json.Obj written) {
    return new LifecycleReader(Document.of(written)).accepted();
  }

  private Lifecycle accepted() {
    var name = reader.requiredShortName(root, NAME);
    var module = reader.requiredName(root, MODULE);
    return lifecycle(name, module, entity(), statuses(), steps(), terms(), nonIdempotent());
  }

  private Read read() {
    reader.onlyKnown(Optional.empty(), "", root, FIELDS);
    var name = reader.requiredShortName(root, NAME);
    var module = reader.requiredName(root, MODULE);
    var entity = entity();
    var statuses = statuses();
    var steps = steps();
    var terms = terms();
    var nonIdempotent = nonIdempotent();
    new LifecycleRules(reader, statuses, steps, nonIdempotent).check();
    var subject = NAME + " " + name.map(known -> '"' + known + '"').orElse("?");
    if (!reader.isClean()) {
      return new Read(Optional.empty(), reader.violations(subject), List.of());
    }
    var lifecycle = lifecycle(name, module, entity, statuses, steps, terms, nonIdempotent);
    var warnings = new DocumentReader(document);
    new LifecycleWarnings(warnings, lifecycle, steps).check();
    return new Read(Optional.of(lifecycle), List.of(), warnings.violations(subject));
  }

  private Lifecycle lifecycle(
      Optional<String> name,
      Optional<String> module,
      Optional<String> entity,
      List<String> statuses,
      List<DraftStep> steps,
      Map<String, EffectTerms> terms,
      List<String> nonIdempotent) {
    return new Lifecycle(
        name.orElseThrow(),
        module.orElseThrow(),
        entity.or(() -> name).orElseThrow(),
        statuses,
        steps.stream().map(step -> step.finished(terms)).toList(),
        terms,
        nonIdempotent,
        annotations.found());
  }

  private Map<String, EffectTerms> terms() {
    return new EffectReader(reader, annotations).read(root);
  }

  private List<String> nonIdempotent() {
    return DocumentReader.member(root, NON_IDEMPOTENT)
        .map(
            value ->
                reader.names(Document.pointer("", NON_IDEMPOTENT), value, Lifecycle.MAX_ACTIONS))
        .orElse(List.of());
  }

  private Optional<String> entity() {
    return DocumentReader.member(root, ENTITY)
        .flatMap(value -> reader.name(Optional.empty(), Document.pointer("", ENTITY), value));
  }

  private List<String> statuses() {
    var pointer = Document.pointer("", STATUSES);
    var statuses =
        reader
            .required(Optional.empty(), "", root, STATUSES)
            .map(value -> reader.shortNames(pointer, value, Lifecycle.MAX_STATUSES))
            .orElse(List.of());
    if (DocumentReader.member(root, STATUSES).filter(NONE::equals).isPresent()) {
      reader.malformed(
          Optional.empty(), pointer, "has no elements", "Name the statuses of the steps.");
    }
    return statuses;
  }

  private List<DraftStep> steps() {
    var pointer = Document.pointer("", STEPS);
    var elements =
        reader
            .required(Optional.empty(), "", root, STEPS)
            .map(value -> reader.elements(pointer, value, Lifecycle.MAX_STEPS, "[{ … }, { … }]"))
            .orElse(List.of());
    return IntStream.range(0, elements.size())
        .mapToObj(i -> step(Document.pointer(pointer, "" + i), elements.get(i)))
        .flatMap(Optional::stream)
        .toList();
  }

  private Optional<DraftStep> step(String pointer, Json value) {
    if (!(value instanceof Json.Obj written)) {
      reader.malformed(Optional.empty(), pointer, "is not an object", "Write { … }.");
      return Optional.empty();
    }
    var step = annotations.without(pointer, written);
    var id = DocumentReader.member(step, STEP_ID).flatMap(read -> id(pointer, read));
    var key = DocumentReader.member(step, STEP_KEY).flatMap(read -> keyed(pointer, STEP_KEY, read));
    var label = key.or(() -> id).or(() -> Optional.of("#" + last(pointer)));
    reader.onlyKnown(label, pointer, step, STEP_FIELDS);
    reader.required(label, pointer, step, STEP_KEY);
    var status =
        reader
            .required(label, pointer, step, STATUS)
            .flatMap(read -> reader.name(label, Document.pointer(pointer, STATUS), read));
    reader.required(label, pointer, step, TO);
    Reading<String> names = (at, read) -> reader.name(label, at, read);
    var claimField = claimField(label, pointer, step);
    return Optional.of(
        new DraftStep(
            pointer,
            id,
            key,
            status,
            claimField,
            perRequester(label, pointer, step, claimField, (at, read) -> tuple(label, at, read)),
            perRequester(label, pointer, step, TO, names),
            perRequester(label, pointer, step, ACTION, names),
            perRequester(label, pointer, step, EFFECT, names)));
  }

  private static String last(String pointer) {
    return pointer.substring(pointer.lastIndexOf('/') + 1);
  }

  /** Reads a step id: a number or a name. */
  private Optional<String> id(String pointer, Json value) {
    return keyed(
        pointer, STEP_ID, value instanceof Json.Num(var number) ? new Json.Str(number) : value);
  }

  private Optional<String> keyed(String pointer, String field, Json value) {
    return reader.name(Optional.of("#" + last(pointer)), Document.pointer(pointer, field), value);
  }

  private String claimField(Optional<String> label, String pointer, Json.Obj step) {
    var first = DocumentReader.member(step, CLAIM).isPresent();
    var second = DocumentReader.member(step, CLAIM_SYNONYM).isPresent();
    if (first && second) {
      reader.found(
          label,
          LifecycleRule.TWICE.code(),
          Document.pointer(pointer, CLAIM_SYNONYM),
          "claim_state and successful_claim_state are the same",
          "Keep one of them.");
    }
    return second && !first ? CLAIM_SYNONYM : CLAIM;
  }

  private <T> PerRequester<T> perRequester(
      Optional<String> label, String pointer, Json.Obj step, String field, Reading<T> reading) {
    var at = Document.pointer(pointer, field);
    var value = DocumentReader.member(step, field);
    if (value.isEmpty()) {
      return PerRequester.none();
    }
    if (!(value.get() instanceof Json.Obj(var members))) {
      return new PerRequester<>(reading.read(at, value.get()), Map.of());
    }
    var named = new HashMap<String, T>();
    members.forEach(
        (requester, each) -> {
          var place = Document.pointer(at, requester);
          try {
            Text.requiredName(requester);
          } catch (InvalidValueException e) {
            reader.malformed(label, place, "the requester " + e.rule(), "Give it another name.");
          }
          if (!(each instanceof Json.Null)) {
            reading.read(place, each).ifPresent(read -> named.put(requester, read));
          }
        });
    return new PerRequester<>(Optional.empty(), named);
  }

  private Optional<ClaimStates> tuple(Optional<String> label, String pointer, Json value) {
    if (value instanceof Json.Array(var elements)
        && elements.size() == TUPLE
        && elements.getFirst() instanceof Json.Str(var into)
        && elements.getLast() instanceof Json.Str(var revertTo)) {
      return Optional.of(new ClaimStates(into, revertTo));
    }
    reader.found(
        label,
        LifecycleRule.TUPLE.code(),
        pointer,
        "the claim state is not an array of two strings",
        LifecycleRule.TUPLE.advice());
    return Optional.empty();
  }
}
