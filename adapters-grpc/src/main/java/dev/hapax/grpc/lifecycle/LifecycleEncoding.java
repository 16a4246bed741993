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
import dev.hapax.v1.ApplyLifecyclesResponse;
import dev.hapax.v1.GetLifecycleResponse;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.LifecycleViolation;
import dev.hapax.v1.ValidateLifecycleResponse;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Encodes the responses of LifecycleService. */
public final class LifecycleEncoding {
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

  static ApplyLifecyclesResponse applied(
      Workspace workspace, List<ParsedLifecycle> texts, ApplyOutcome outcome) {
    var response = ApplyLifecyclesResponse.newBuilder().addAllJanitors(declared(outcome));
    for (var stored : applied(outcome).lifecycles()) {
      response.addLifecycles(
          ApplyLifecyclesResponse.Applied.newBuilder()
              .setLifecycle(summary(workspace, stored.record()))
              .setAlready(stored.already()));
    }
    var _ =
        PageTokens.fill(
            texts.stream().flatMap(LifecycleEncoding::warnings).toList(),
            warning -> warning,
            (_, message) -> response.addWarnings(message));
    return response.build();
  }

  /** Encodes the contracts of an outcome, or throws its error. */
  public static List<ApplyLifecyclesResponse.Declared> declared(ApplyOutcome outcome) {
    return applied(outcome).janitors().stream()
        .map(
            stored ->
                ApplyLifecyclesResponse.Declared.newBuilder()
                    .setContract(ContractFields.write(stored.record().contract().orElseThrow()))
                    .setAlready(stored.already())
                    .build())
        .toList();
  }

  private static ApplyOutcome.Applied applied(ApplyOutcome outcome) {
    return switch (outcome) {
      case ApplyOutcome.Applied applied -> applied;
      case ApplyOutcome.Refused refused -> throw LifecycleErrors.of(refused);
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
    var _ =
        PageTokens.fill(
            warnings(text).toList(),
            warning -> warning,
            (_, message) -> response.addWarnings(message));
    return response.build();
  }

  private static Stream<LifecycleViolation> warnings(ParsedLifecycle text) {
    return text.warnings().stream().map(warning -> violation(text, warning));
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
