package dev.hapax.domain.run;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Records what happened to parts of the step that the worker holds.
 *
 * @param principal of the caller
 */
public record RecordParts(TaskClaim claim, ReportedParts parts, PrincipalName principal)
    implements RunCommand<RecordPartsOutcome> {

  @Override
  public RunId run() {
    return claim.run();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return parts.keysWith(claim);
  }

  @Override
  public int size() {
    return SIZE + parts.size();
  }

  @Override
  public RecordPartsOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.run());
    var held = found.flatMap(run -> run.heldBy(claim, now));
    if (held.isEmpty()) {
      return recordedBefore(records, now)
          .<RecordPartsOutcome>map(RecordPartsOutcome.Stored::new)
          .orElseGet(() -> new TaskLost(claim, found));
    }
    var holder = Actor.holder(held.get().grant(), principal);
    return switch (parts.apply(records, claim, found.orElseThrow(), holder, now)) {
      case ReportedParts.Applied applied -> {
        applied.store(records);
        records.put(claim.run(), applied.run());
        yield new RecordPartsOutcome.Stored(applied.results());
      }
      case PartsRefused refused -> refused;
    };
  }

  /** The results of a claim that is lost, if it recorded all these parts. */
  private Optional<List<PartResult>> recordedBefore(BatchRecords records, Instant now) {
    var results =
        parts.reports().stream()
            .flatMap(report -> parts.recordedBefore(records, claim, report, now).stream())
            .toList();
    return results.size() == parts.reports().size() ? Optional.of(results) : Optional.empty();
  }
}
