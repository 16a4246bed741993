package dev.hapax.domain.definition;

import dev.hapax.domain.InvalidValueException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;

/** What a run goes through, step after step. Never changes. */
public record Definition(
    DefinitionId id, List<StepDefinition> steps, Instant registeredAt, Registrant registrant) {
  public static final int MAX_STEPS = 1_000;

  /** One of the server's own. */
  public Definition(DefinitionId id, List<StepDefinition> steps, Instant registeredAt) {
    this(id, steps, registeredAt, Registrant.SERVER);
  }

  public Definition {
    steps = requireSteps(steps);
  }

  /** The steps, or a violation: none, too many, two of one name. */
  public static List<StepDefinition> requireSteps(List<StepDefinition> steps) {
    if (steps.isEmpty()) {
      throw new InvalidValueException("needs at least one step");
    }
    if (steps.size() > MAX_STEPS) {
      throw new InvalidValueException(
          "has %d steps; at most %d are allowed".formatted(steps.size(), MAX_STEPS));
    }
    var names = new HashSet<String>();
    for (var step : steps) {
      if (!names.add(step.name())) {
        throw new InvalidValueException("has two steps named \"%s\"".formatted(step.name()));
      }
    }
    return List.copyOf(steps);
  }

  public boolean hasStep(int index) {
    return index < steps.size();
  }

  public StepDefinition step(int index) {
    return steps.get(index);
  }

  /** The indexes of the signal steps before this step. */
  public List<Integer> signalStepsBefore(int index) {
    return IntStream.range(0, index)
        .filter(i -> steps.get(i).kind() instanceof StepDefinition.Signal)
        .boxed()
        .toList();
  }
}
