package dev.hapax.domain.janitor;

import dev.hapax.domain.DurationText;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.json.Document;
import dev.hapax.domain.json.DocumentReader;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.json.Violation;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Reads a janitor's contract: {@code {"janitor": "billing", "claim_states": ["closing"]}}. */
public final class JanitorReader {
  private static final String JANITOR = "janitor";
  private static final String CLAIM_STATES = "claim_states";
  private static final String STALE_AFTER = "stale_after";
  private static final String EVERY = "every";
  private static final String MODE = "mode";
  private static final String ALL_CLAIM_STATES = "all_claim_states";
  private static final Set<String> FIELDS =
      Set.of(JANITOR, CLAIM_STATES, ALL_CLAIM_STATES, STALE_AFTER, EVERY, MODE);

  private final DocumentReader reader;
  private final Json.Obj root;

  private JanitorReader(Document document) {
    this.reader = new DocumentReader(document);
    this.root = reader.root();
  }

  /** The contract of a document, or all its violations. */
  public record Read(Optional<JanitorContract> contract, List<Violation> violations) {}

  /** Whether the document declares a janitor rather than a lifecycle. */
  public static boolean isJanitor(Document document) {
    return document.root() instanceof Json.Obj(var members) && members.containsKey(JANITOR);
  }

  public static Read read(Document document) {
    return new JanitorReader(document).read();
  }

  private Read read() {
    reader.onlyKnown(Optional.empty(), "", root, FIELDS);
    var module = reader.requiredName(root, JANITOR);
    var coverage = coverage();
    var staleAfter = time(STALE_AFTER).orElse(LeaseLimits.DEFAULT_OF_ACTION);
    var every = time(EVERY).orElse(JanitorTiming.DEFAULT_EVERY);
    var mode = mode();
    var violations = reader.violations(JANITOR + " " + module.orElse("?"));
    return new Read(
        module
            .filter(_ -> violations.isEmpty())
            .map(
                name ->
                    new JanitorContract(name, coverage, JanitorTiming.of(staleAfter, every), mode)),
        violations);
  }

  private ClaimStateCoverage coverage() {
    if (isOfAll()) {
      DocumentReader.member(root, CLAIM_STATES)
          .ifPresent(
              _ ->
                  reader.malformed(
                      Optional.empty(),
                      Document.pointer("", CLAIM_STATES),
                      "names some, and all_claim_states covers all",
                      "Keep one of them."));
      return new ClaimStateCoverage.All();
    }
    var states =
        reader
            .required(Optional.empty(), "", root, CLAIM_STATES)
            .map(
                value ->
                    reader.shortNames(
                        Document.pointer("", CLAIM_STATES),
                        value,
                        JanitorContract.MAX_CLAIM_STATES))
            .orElse(List.of());
    return new ClaimStateCoverage.Named(Set.copyOf(states));
  }

  private boolean isOfAll() {
    var all = DocumentReader.member(root, ALL_CLAIM_STATES);
    if (all.isPresent() && !(all.get() instanceof Json.Bool)) {
      reader.malformed(
          Optional.empty(),
          Document.pointer("", ALL_CLAIM_STATES),
          "is not true or false",
          "Write true or false, without quotes.");
    }
    return all.filter(new Json.Bool(true)::equals).isPresent();
  }

  private Optional<Duration> time(String name) {
    return DocumentReader.member(root, name)
        .flatMap(
            value -> {
              var time =
                  value instanceof Json.Str(var text) ? parse(text) : Optional.<Duration>empty();
              if (time.isEmpty()) {
                reader.malformed(
                    Optional.empty(),
                    Document.pointer("", name),
                    "is not a time between 100 ms and 24 h",
                    "Write it as \"500ms\", \"30s\", \"1h30m\" or \"1d\".");
              }
              return time;
            });
  }

  private static Optional<Duration> parse(String text) {
    try {
      return Optional.of(JanitorTiming.require(DurationText.parse(text)));
    } catch (InvalidValueException _) {
      return Optional.empty();
    }
  }

  private JanitorMode mode() {
    var value = DocumentReader.member(root, MODE);
    for (var mode : JanitorMode.values()) {
      if (value.isEmpty()
          || value.get().equals(new Json.Str(mode.name().toLowerCase(Locale.ROOT)))) {
        return mode;
      }
    }
    reader.malformed(
        Optional.empty(),
        Document.pointer("", MODE),
        "is not a mode",
        "Write \"hosted\" or \"remote\".");
    return JanitorMode.HOSTED;
  }
}
