package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Records the output of a named step, or reads the recorded output.
 *
 * @param output empty = read only
 * @param consumed ids of the signals that the step used up
 * @param principal of the caller
 */
public record RecordStep(
    TaskClaim claim,
    String name,
    Optional<Payload> output,
    List<String> consumed,
    PrincipalName principal)
    implements RunCommand<RecordStepOutcome> {

  public RecordStep {
    consumed = consumed.stream().distinct().toList();
  }

  @Override
  public RunId run() {
    return claim.run();
  }

  /** The id of the named step. */
  public NamedStepId step() {
    return new NamedStepId(claim.run(), claim.step(), name);
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    var keys = new ArrayList<RecordKey<?>>(consumption().keys());
    keys.add(claim.run());
    keys.add(step());
    return keys;
  }

  private ConsumedSignals consumption() {
    return new ConsumedSignals(claim.run(), consumed);
  }

  @Override
  public int size() {
    return SIZE + output.map(Payload::size).orElse(0);
  }

  @Override
  public RecordStepOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim));
    var recorded = records.get(step());
    if (recorded.filter(r -> held.isPresent() || r.nonce() == claim.nonce()).isPresent()) {
      return new RecordStepOutcome.Recorded(recorded.get().output(), true);
    }
    if (held.isEmpty()) {
      return new TaskLost(claim, found);
    }
    if (output.isEmpty()) {
      return new RecordStepOutcome.NotRecorded();
    }
    return record(records, now, found.orElseThrow(), held.get(), output.get());
  }

  private RecordStepOutcome record(
      BatchRecords records, Instant now, Run run, Phase.Held held, Payload recorded) {
    if (run.version() >= Run.MAX_EVENTS) {
      return new RecordStepOutcome.TooManyEvents();
    }
    var unknown = consumption().findUnknown(records);
    if (unknown.isPresent()) {
      return new RecordStepOutcome.NoSuchSignal(unknown.get());
    }
    var after =
        run.then(
            new RunChange.StepRecorded(name, recorded, consumption().newlyConsumed(records)),
            now,
            Actor.holder(held.grant(), principal));
    consumption().markConsumed(records);
    records.put(step(), new NamedStep(after.version(), claim.nonce(), recorded));
    records.put(run.id(), after);
    return new RecordStepOutcome.Recorded(recorded, false);
  }
}
