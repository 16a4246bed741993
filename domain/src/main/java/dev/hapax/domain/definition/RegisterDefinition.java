package dev.hapax.domain.definition;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Registers a version of a definition.
 *
 * @param timeout of a run whose start has none; empty = none
 * @param limits of its runs
 */
public record RegisterDefinition(
    DefinitionId id,
    List<StepDefinition> steps,
    Optional<Duration> timeout,
    List<Limit> limits,
    Attribution registrant)
    implements Command<RegisterOutcome> {
  private static final int STEP_SIZE = 256;

  public RegisterDefinition {
    steps = Definition.requireSteps(steps);
    timeout = timeout.map(Definition::requireTimeout);
    limits = StepDefinition.Work.requireLimits(limits);
  }

  /** Registers a definition whose runs may take any time. */
  public RegisterDefinition(DefinitionId id, List<StepDefinition> steps, Attribution registrant) {
    this(id, steps, Optional.empty(), List.of(), registrant);
  }

  /**
   * Whether a server that does not know times of attempts and runs, and limits, could not read it.
   */
  public boolean needsTurns() {
    return timeout.isPresent()
        || !limits.isEmpty()
        || steps.stream().anyMatch(StepDefinition::needsTurns);
  }

  @Override
  public Workspace workspace() {
    return id.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return List.of(id, id.withoutVersion());
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    return STEP_SIZE * (1 + steps.size());
  }

  @Override
  public RegisterOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(id);
    if (found.isEmpty()) {
      var definition = new Definition(id, steps, timeout, limits, now, registrant);
      records.put(id, definition);
      register(records, id.withoutVersion(), LatestDefinition.of(definition));
      return new RegisterOutcome.Registered(definition, false);
    }
    var registered = found.get();
    return registered.steps().equals(steps)
            && registered.timeout().equals(timeout)
            && registered.limits().equals(limits)
        ? new RegisterOutcome.Registered(registered, true)
        : new RegisterOutcome.Different(registered);
  }

  private static void register(
      BatchRecords records, DefinitionName name, LatestDefinition version) {
    if (records.get(name).filter(version::isBefore).isEmpty()) {
      records.put(name, version);
    }
  }
}
