package dev.hapax.grpc.monitoring;

import dev.hapax.application.monitoring.KnownProblems;
import dev.hapax.domain.monitoring.Problem.Cause;
import dev.hapax.grpc.call.Durations;
import dev.hapax.v1.Problem;
import dev.hapax.v1.ProblemKind;
import java.util.Locale;

/** Encodes what does not go on by itself. */
final class ProblemEncoding {
  private ProblemEncoding() {}

  static Problem problem(KnownProblems.Named known) {
    var tally = known.problem().tally();
    var message =
        Problem.newBuilder()
            .setCount(tally.number())
            .setTruncated(tally.truncated())
            .setFirstAt(Durations.encode(tally.first()))
            .setLastAt(Durations.encode(tally.last()))
            .setLastHour(tally.lastHour());
    known.step().ifPresent(message::setStep);
    return cause(message, known.problem().cause()).build();
  }

  private static Problem.Builder cause(Problem.Builder message, Cause cause) {
    return switch (cause) {
      case Cause.OperationsInDoubt(var operation) ->
          message.setKind(ProblemKind.PROBLEM_KIND_OPERATION_IN_DOUBT).setName(operation);
      case Cause.OperationsAbandoned(var operation) ->
          message.setKind(ProblemKind.PROBLEM_KIND_OPERATION_ABANDONED).setName(operation);
      case Cause.EntitiesAbandoned(var lifecycle, var action) ->
          message
              .setKind(ProblemKind.PROBLEM_KIND_ENTITY_ABANDONED)
              .setName(lifecycle)
              .setStep(action);
      case Cause.RunsFailed(var at, var code) ->
          message
              .setKind(ProblemKind.PROBLEM_KIND_RUN_FAILED)
              .setName(at.definition().name())
              .setVersion(at.definition().version())
              .setFailureCode(code);
      case Cause.StepsInDoubt(var at) ->
          message
              .setKind(ProblemKind.PROBLEM_KIND_STEP_IN_DOUBT)
              .setName(at.definition().name())
              .setVersion(at.definition().version());
      case Cause.IntentsRefused(var verb, var reason) ->
          message
              .setKind(ProblemKind.PROBLEM_KIND_INTENT_REFUSED)
              .setName(verb.name().toLowerCase(Locale.ROOT))
              .setFailureCode(reason);
    };
  }
}
