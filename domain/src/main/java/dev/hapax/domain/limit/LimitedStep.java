package dev.hapax.domain.limit;

import dev.hapax.domain.Digest;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.Limit;
import dev.hapax.domain.definition.Rate;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Run;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The lines of one run at a step, or those of its definition. */
public record LimitedStep(List<Line> lines) {
  /**
   * One of them.
   *
   * @param declared how many runs the step or definition allows; 0 = any number
   * @param rate the one that the step or definition allows
   */
  public record Line(LimitKey key, int declared, Optional<Rate> rate) {
    LimitId id() {
      return key.id();
    }

    public LimitReads.Numbers numbers() {
      return LimitReads.Numbers.of(declared, rate);
    }
  }

  public LimitedStep {
    lines = List.copyOf(lines);
  }

  /** Where a run is or waits, or what it has to enter next: its definition before its step. */
  public static LimitedStep of(Run run) {
    var isAtDefinition =
        run.blocked().isPresent() ? run.stepTurn().isEmpty() : run.needsDefinitionTurn();
    return isAtDefinition ? ofDefinition(run) : of(run, run.position().step());
  }

  /** The definition of a run. */
  static LimitedStep ofDefinition(Run run) {
    return ofDefinition(
        run.id().workspace(), run.definition(), run.origin().input(), run.origin().labels());
  }

  static LimitedStep ofDefinition(
      Workspace workspace, Definition definition, Payload input, Map<String, String> labels) {
    return of(workspace, true, definition.limits(), input, labels);
  }

  /** The lines of both. */
  LimitedStep and(LimitedStep other) {
    return new LimitedStep(Stream.concat(lines.stream(), other.lines.stream()).toList());
  }

  /** A step of a run. */
  static LimitedStep of(Run run, int step) {
    var definition = run.definition();
    return definition.hasStep(step)
        ? of(
            run.id().workspace(),
            definition.step(step),
            run.origin().input(),
            run.origin().labels())
        : new LimitedStep(List.of());
  }

  static LimitedStep of(
      Workspace workspace, StepDefinition step, Payload input, Map<String, String> labels) {
    return of(workspace, false, step.limits(), input, labels);
  }

  private static LimitedStep of(
      Workspace workspace,
      boolean ofDefinitions,
      List<Limit> limits,
      Payload input,
      Map<String, String> labels) {
    return new LimitedStep(
        limits.stream()
            .map(
                limit ->
                    new Line(
                        new LimitKey(
                            workspace, ofDefinitions, limit.name(), value(limit, input, labels)),
                        limit.maxRunning(),
                        limit.rate()))
            .toList());
  }

  /** A value that cannot be a name, such as a long text, is shown and set by its hash. */
  private static String value(Limit limit, Payload input, Map<String, String> labels) {
    var value = limit.key().in(input, labels).orElse("");
    try {
      return Text.name(value);
    } catch (InvalidValueException _) {
      return "sha256:" + Digest.sha256(value);
    }
  }

  /** The records that a decision changes. */
  List<RecordKey<?>> changed() {
    return lines.stream()
        .map(Line::id)
        .<RecordKey<?>>flatMap(id -> Stream.of(id, id.line(), id.slots()))
        .toList();
  }

  /** The records that it only reads. */
  List<RecordKey<?>> read() {
    return lines.stream().<RecordKey<?>>flatMap(line -> line.key().settings()).distinct().toList();
  }
}
