package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Records the output of one part, or reads the recorded output.
 *
 * @param output empty = read only
 * @param consumed ids of the signals that the part used up
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

  /** The id of the part. */
  public PartId step() {
    return new PartId(claim.run(), claim.step(), name);
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return Stream.concat(Stream.of(claim.run(), step()), parts().keys(claim)).distinct().toList();
  }

  private ReportedParts parts() {
    return output
        .map(recorded -> ReportedParts.of(new PartReport(name, recorded, consumed)))
        .orElse(ReportedParts.NONE);
  }

  @Override
  public int size() {
    return SIZE + output.map(Payload::size).orElse(0);
  }

  @Override
  public RecordStepOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim, now));
    var before = records.get(step());
    if (before.filter(part -> held.isPresent() || part.nonce() == claim.nonce()).isPresent()) {
      switch (before.get()) {
        case Part.Completed(_, _, var recorded, _) -> {
          return new RecordStepOutcome.Recorded(recorded, true);
        }
        case Part.Failed(_, _, _, _, var failure) -> {
          return new RecordStepOutcome.InDoubt(Optional.of(failure));
        }
        case Part.Begun begun when begun.isInDoubt(claim) -> {
          return new RecordStepOutcome.InDoubt(Optional.empty());
        }
        case Part.Begun _, Part.Retrying _ -> {}
      }
    }
    if (held.isEmpty()) {
      return new TaskLost(claim, found);
    }
    if (output.isEmpty()) {
      return new RecordStepOutcome.NotRecorded();
    }
    var holder = Actor.holder(held.get().grant(), principal);
    return switch (parts().apply(records, claim, found.orElseThrow(), holder, now)) {
      case ReportedParts.Applied applied -> {
        applied.store(records);
        records.put(claim.run(), applied.run());
        yield new RecordStepOutcome.Recorded(output.get(), false);
      }
      case PartsRefused refused -> refused;
    };
  }
}
