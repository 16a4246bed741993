package dev.hapax.grpc.run;

import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.PartReport;
import dev.hapax.domain.run.PartTraits;
import dev.hapax.domain.run.PartsRefused;
import dev.hapax.domain.run.ReportedParts;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.grpc.call.RetryPolicies;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.PartFailure;
import dev.hapax.v1.PartRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Decodes the report about a part.
 *
 * @param path of the report, such as {@code parts[2]}
 */
record PartDecoding(String path) {

  static ReportedParts reports(List<PartRecord> sent, RandomValues random) {
    return sent.isEmpty() ? ReportedParts.NONE : reports(sent, Optional.empty(), random);
  }

  static ReportedParts reports(
      List<PartRecord> sent, Optional<Json.Obj> patch, RandomValues random) {
    var reports = new ArrayList<PartReport>();
    for (var i = 0; i < sent.size(); i++) {
      reports.add(at(i).report(sent.get(i)));
    }
    return new ReportedParts(reports, patch, random.jitter());
  }

  /** Whether these reports need servers that know parts without an output, and their long names. */
  static boolean needParts(List<PartRecord> sent) {
    return sent.stream().anyMatch(part -> !part.hasOutput() || isLong(part.getName()));
  }

  private static boolean isLong(String name) {
    return name.codePointCount(0, name.length()) > StepDefinition.MAX_NAME;
  }

  private static PartDecoding at(int index) {
    return new PartDecoding(String.format(Locale.ROOT, "parts[%d]", index));
  }

  private PartReport report(PartRecord sent) {
    if (!sent.hasOutput() && sent.getConsumedSignalIdsCount() > 0) {
      throw invalid(TaskDecoding.CONSUMED, "is only allowed with an output");
    }
    return new PartReport(
        sent.getName(),
        result(sent),
        Durations.decode(sent.hasElapsed(), sent.getElapsed()),
        new PartTraits(sent.getOverlapped(), sent.getIsWait()));
  }

  private PartReport.Result result(PartRecord sent) {
    return switch (sent.getResultCase()) {
      case OUTPUT ->
          new PartReport.Output(
              Payloads.decode(true, sent.getOutput()).orElseThrow(),
              List.copyOf(sent.getConsumedSignalIdsList()));
      case FAILURE -> failing(sent.getFailure());
      case BEGIN -> new PartReport.Beginning();
      case RESULT_NOT_SET -> throw new IllegalStateException("rejected before");
    };
  }

  private PartReport.Failing failing(PartFailure sent) {
    return new PartReport.Failing(
        Math.max(1, sent.getAttempt()),
        Payloads.decode(sent.hasFailure(), sent.getFailure()).orElseThrow(),
        isFinal(sent.getKind()),
        sent.hasRetry()
            ? Optional.of(RetryPolicies.decode(sent.getRetry(), RetryPolicy.OF_PARTS))
            : Optional.empty(),
        Durations.decode(sent.hasRetryAfter(), sent.getRetryAfter()));
  }

  private boolean isFinal(FailureKind kind) {
    return switch (kind) {
      case FAILURE_KIND_UNSPECIFIED, FAILURE_KIND_RETRYABLE -> false;
      case FAILURE_KIND_FINAL -> true;
      case FAILURE_KIND_UNKNOWN_EFFECT ->
          throw invalid(
              "failure.kind",
              "is UNKNOWN_EFFECT: such a part stays begun; send FailTask with this kind");
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  private InvalidFieldException invalid(String field, String rule) {
    return new InvalidFieldException(field(field), rule);
  }

  private String field(String name) {
    return path + "." + name;
  }

  /** The error of reports that are refused. */
  static RuntimeException error(PartsRefused refused) {
    return switch (refused) {
      case PartsRefused.NoSuchSignal(var index, var signalId) ->
          TaskDecoding.noSuchSignal(at(index).field(TaskDecoding.CONSUMED), signalId);
      case PartsRefused.OtherAttempt(var index, var next) ->
          at(index)
              .invalid(
                  "failure.attempt",
                  String.format(Locale.ROOT, "must be %d, the attempt that follows", next));
      case PartsRefused.TooManyEvents _ -> RunErrors.eventLimit();
      case PartsRefused.StateTooLarge _ -> RunErrors.stateTooLarge();
    };
  }
}
