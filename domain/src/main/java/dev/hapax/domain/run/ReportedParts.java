package dev.hapax.domain.run;

import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the holder of a task reports about parts in one call, in order: all of it is stored, or
 * nothing.
 *
 * @param patch of the run's state; it is applied with the first output that is new
 * @param jitter random, from [0, 1), for pauses of retry policies
 */
public record ReportedParts(List<PartReport> reports, Optional<Json.Obj> patch, double jitter) {
  public static final ReportedParts NONE = new ReportedParts(List.of(), Optional.empty(), 0);

  public ReportedParts {
    reports = List.copyOf(reports);
  }

  /** One report, which needs no random value. */
  static ReportedParts of(PartReport report) {
    return new ReportedParts(List.of(report), Optional.empty(), 0);
  }

  /** What the reports did. */
  sealed interface Effect permits Applied, PartsRefused {}

  /** The run and its parts after the reports, which {@link #store} writes. */
  record Applied(
      Run run, List<PartResult> results, Map<PartId, Part> parts, ConsumedSignals consumed)
      implements Effect {
    /** Writes the parts, and the signals that they consumed; the caller writes the run. */
    void store(BatchRecords records) {
      consumed.markConsumed(records);
      parts.forEach(records::put);
    }
  }

  /** The keys of the parts, and of the signals that they consume. */
  Stream<RecordKey<?>> keys(TaskClaim claim) {
    return Stream.concat(
        reports.stream().map(report -> id(claim, report)).distinct(),
        new ConsumedSignals(claim.run(), consumed().distinct().toList()).keys().stream());
  }

  /** The key of the run, and the others. */
  Collection<? extends RecordKey<?>> keysWith(TaskClaim claim) {
    return reports.isEmpty()
        ? List.of(claim.run())
        : Stream.concat(Stream.<RecordKey<?>>of(claim.run()), keys(claim)).toList();
  }

  private static PartId id(TaskClaim claim, PartReport report) {
    return new PartId(claim.run(), claim.step(), report.name());
  }

  private Stream<String> consumed() {
    return reports.stream().flatMap(report -> consumed(report).stream());
  }

  private static List<String> consumed(PartReport report) {
    return report.result() instanceof PartReport.Output(_, var consumed) ? consumed : List.of();
  }

  /** The approximate memory in bytes. */
  int size() {
    return reports.stream().mapToInt(PartReport::size).sum() + patch.map(Json::size).orElse(0);
  }

  /** Applies the reports of the worker that holds the run's step. */
  Effect apply(BatchRecords records, TaskClaim claim, Run run, Actor holder, Instant now) {
    return reports.isEmpty()
        ? new Applied(run, List.of(), Map.of(), new ConsumedSignals(run.id(), List.of()))
        : new Application(records, claim, run, holder, now).effect();
  }

  /** The result of a report that this claim sent before it was lost. */
  Optional<PartResult> recordedBefore(
      BatchRecords records, TaskClaim claim, PartReport report, Instant now) {
    var id = id(claim, report);
    var decision = new PartDecision(id, records.get(id), claim, RetryPolicy.OF_PARTS, jitter, now);
    // the body of a part that has only begun must not run under a lost claim
    return decision.of(report) instanceof PartDecision.Known(var part)
            && part.nonce() == claim.nonce()
            && !(part instanceof Part.Begun)
        ? Optional.of(decision.result(part, true))
        : Optional.empty();
  }

  /** Applies the reports one after the other. */
  private final class Application {
    private final BatchRecords records;
    private final TaskClaim claim;
    private final Actor holder;
    private final Instant now;
    private final RetryPolicy retry;
    private final List<PartResult> results = new ArrayList<>();
    private final Map<PartId, Part> parts = new LinkedHashMap<>();
    private final Set<String> consumed = new LinkedHashSet<>();
    private Optional<Json.Obj> unused = patch;
    private Run run;

    Application(BatchRecords records, TaskClaim claim, Run run, Actor holder, Instant now) {
      this.records = records;
      this.claim = claim;
      this.run = run;
      this.holder = holder;
      this.now = now;
      this.retry = policy(run);
    }

    Effect effect() {
      for (var i = 0; i < reports.size(); i++) {
        var refused = apply(i, reports.get(i));
        if (refused.isPresent()) {
          return refused.get();
        }
      }
      return run.state().size() > Run.MAX_STATE
          ? new PartsRefused.StateTooLarge()
          : new Applied(run, results, parts, new ConsumedSignals(run.id(), List.copyOf(consumed)));
    }

    private Optional<PartsRefused> apply(int index, PartReport report) {
      var unknown = new ConsumedSignals(run.id(), consumed(report)).findUnknown(records);
      if (unknown.isPresent()) {
        return Optional.of(new PartsRefused.NoSuchSignal(index, unknown.get()));
      }
      var id = id(claim, report);
      var before = Optional.ofNullable(parts.get(id)).or(() -> records.get(id));
      var decision = new PartDecision(id, before, claim, retry, jitter, now);
      return switch (decision.of(report)) {
        case PartDecision.Known(var part) -> {
          results.add(decision.result(part, true));
          yield Optional.empty();
        }
        case PartDecision.OtherAttempt(var next) ->
            Optional.of(new PartsRefused.OtherAttempt(index, next));
        case PartDecision.Changed(var change) -> {
          if (!run.hasRoom()) {
            yield Optional.of(new PartsRefused.TooManyEvents());
          }
          var complete = completed(change);
          run = run.then(complete, now, holder);
          var part = decision.after(run.newEvents().getLast(), complete);
          parts.put(id, part);
          results.add(decision.result(part, false));
          yield Optional.empty();
        }
      };
    }

    /** Names only signals that were not consumed before, and adds the patch of the state. */
    private RunChange.OfPart completed(RunChange.OfPart change) {
      if (!(change instanceof RunChange.StepRecorded recorded)) {
        return change;
      }
      var newly =
          new ConsumedSignals(run.id(), recorded.consumed())
              .newlyConsumed(records).stream().filter(consumed::add).toList();
      var complete = recorded.with(newly, unused);
      unused = Optional.empty();
      return complete;
    }
  }

  private static RetryPolicy policy(Run run) {
    return run.step().orElseThrow().kind() instanceof StepDefinition.Code(_, var partRetry)
        ? partRetry
        : RetryPolicy.OF_PARTS;
  }
}
