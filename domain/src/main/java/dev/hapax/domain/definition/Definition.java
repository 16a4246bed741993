package dev.hapax.domain.definition;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.InvalidValueException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * An immutable version of a definition: the steps of its runs.
 *
 * @param timeout of a run whose start has none; empty = none
 * @param limits each of which must have room before a run starts, until it ends
 */
public record Definition(
    DefinitionId id,
    List<StepDefinition> steps,
    Optional<Duration> timeout,
    List<Limit> limits,
    Instant registeredAt,
    Attribution registrant) {
  public static final int MAX_STEPS = 1_000;

  /** Creates a definition of the server itself. */
  public Definition(DefinitionId id, List<StepDefinition> steps, Instant registeredAt) {
    this(id, steps, registeredAt, Attribution.SERVER);
  }

  /** Creates a definition whose runs may take any time. */
  public Definition(
      DefinitionId id, List<StepDefinition> steps, Instant registeredAt, Attribution registrant) {
    this(id, steps, Optional.empty(), registeredAt, registrant);
  }

  /** Creates a definition of which any number of runs may run. */
  public Definition(
      DefinitionId id,
      List<StepDefinition> steps,
      Optional<Duration> timeout,
      Instant registeredAt,
      Attribution registrant) {
    this(id, steps, timeout, List.of(), registeredAt, registrant);
  }

  public Definition {
    steps = requireSteps(steps);
    timeout = timeout.map(Definition::requireTimeout);
    limits = StepDefinition.Work.requireLimits(limits);
  }

  /**
   * Returns the timeout in whole microseconds, as it is stored, or throws if it is out of bounds.
   */
  public static Duration requireTimeout(Duration timeout) {
    return StepDefinition.requireWait(timeout).plusNanos(999).truncatedTo(ChronoUnit.MICROS);
  }

  /** Returns the steps, or throws if there are none, too many, or two with one name. */
  public static List<StepDefinition> requireSteps(List<StepDefinition> steps) {
    if (steps.isEmpty()) {
      throw new InvalidValueException("needs at least one step");
    }
    if (steps.size() > MAX_STEPS) {
      throw new InvalidValueException(
          String.format(
              Locale.ROOT, "has %d steps; at most %d are allowed", steps.size(), MAX_STEPS));
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
