package dev.hapax.grpc.lifecycle;

import dev.hapax.application.lifecycle.ApplyOutcome;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.json.Violation;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleWriter;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.JsonText;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.v1.ApplyLifecycleResponse;
import dev.hapax.v1.GetLifecycleResponse;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.LifecycleViolation;
import dev.hapax.v1.ValidateLifecycleResponse;
import java.util.Optional;

/** Encodes the responses of LifecycleService. */
final class LifecycleEncoding {
  private LifecycleEncoding() {}

  /** Encodes all fields. */
  static Lifecycle lifecycle(Workspace workspace, AppliedLifecycle applied) {
    return summary(workspace, applied).toBuilder()
        .setJson(JsonText.print(LifecycleWriter.write(applied.lifecycle())))
        .build();
  }

  /** Encodes a lifecycle without its JSON, for lists. */
  static Lifecycle summary(Workspace workspace, AppliedLifecycle applied) {
    var lifecycle = applied.lifecycle();
    return Lifecycle.newBuilder()
        .setWorkspace(workspace.name())
        .setName(lifecycle.name())
        .setModule(lifecycle.module())
        .setEntity(lifecycle.entity())
        .setVersion(applied.version())
        .setAppliedAt(Durations.encode(applied.appliedAt()))
        .setAppliedBy(applied.by().actor())
        .setAppliedByPrincipal(applied.by().principal().text())
        .setReason(applied.by().reason())
        .addAllStatusTypes(lifecycle.statuses())
        .addAllClaimStates(lifecycle.claimStates())
        .build();
  }

  static GetLifecycleResponse found(LifecycleId id, Optional<AppliedLifecycle> found) {
    var applied = found.orElseThrow(() -> LifecycleErrors.notFound(id.name()));
    return GetLifecycleResponse.newBuilder()
        .setLifecycle(lifecycle(id.workspace(), applied))
        .build();
  }

  static ApplyLifecycleResponse applied(
      Workspace workspace, ParsedLifecycle text, ApplyOutcome outcome) {
    return switch (outcome) {
      case ApplyOutcome.Applied(var applied, var already) ->
          ApplyLifecycleResponse.newBuilder()
              .setLifecycle(lifecycle(workspace, applied))
              .setAlready(already)
              .addAllWarnings(warnings(text).getWarningsList())
              .build();
      case ApplyOutcome.Uncovered(var missing) -> throw LifecycleErrors.uncovered(missing);
      case ApplyOutcome.Undefined(var definition) -> throw LifecycleErrors.undefined(definition);
      case ApplyOutcome.InUse inUse -> throw LifecycleErrors.inUse(text.name(), inUse);
      case ApplyOutcome.Changing _ -> throw LifecycleErrors.changing(text.name());
    };
  }

  /** Encodes violations or warnings; an invalid lifecycle has no warnings. */
  static ValidateLifecycleResponse validated(ParsedLifecycle text) {
    var response = ValidateLifecycleResponse.newBuilder();
    var _ =
        PageTokens.fill(
            text.violations(),
            violation -> violation(text, violation),
            (_, message) -> response.addViolations(message));
    return response.mergeFrom(warnings(text)).build();
  }

  private static ValidateLifecycleResponse warnings(ParsedLifecycle text) {
    var response = ValidateLifecycleResponse.newBuilder();
    var _ =
        PageTokens.fill(
            text.warnings(),
            warning -> violation(text, warning),
            (_, message) -> response.addWarnings(message));
    return response.build();
  }

  private static LifecycleViolation violation(ParsedLifecycle text, Violation violation) {
    return LifecycleViolation.newBuilder()
        .setLifecycle(text.name())
        .setStep(violation.step().orElse(""))
        .setRule(violation.rule())
        .setPointer(violation.pointer())
        .setLine(violation.line().orElse(0))
        .setMessage(violation.message())
        .setAdvice(violation.advice())
        .build();
  }
}
