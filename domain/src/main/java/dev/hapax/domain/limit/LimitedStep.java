package dev.hapax.domain.limit;

import dev.hapax.domain.Digest;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Limit;
import dev.hapax.domain.definition.Rate;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Run;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The lines of one run at a step. */
public record LimitedStep(List<Line> lines) {
  /**
   * One of them.
   *
   * @param declared how many runs the step allows; 0 = any number
   * @param rate the one that the step allows
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

  /** The current step of a run. */
  public static LimitedStep of(Run run) {
    return of(run, run.position().step());
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
    return new LimitedStep(
        step.limits().stream()
            .map(
                limit ->
                    new Line(
                        new LimitKey(workspace, limit.name(), value(limit, input, labels)),
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
