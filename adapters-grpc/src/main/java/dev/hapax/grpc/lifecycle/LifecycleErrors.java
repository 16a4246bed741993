package dev.hapax.grpc.lifecycle;

import com.google.rpc.Code;
import dev.hapax.application.lifecycle.ApplyOutcome;
import dev.hapax.domain.entity.ClaimState;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.janitor.UncoveredState;
import dev.hapax.domain.json.DocumentReader;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.grpc.definition.DefinitionGrpc;
import dev.hapax.v1.ErrorReason;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** Errors about lifecycles. */
public final class LifecycleErrors {
  private static final String LIFECYCLE = "lifecycle";

  /** More violations than fit into a status. */
  private static final int MAX_REPORTED = 100;

  /** The usual duration of a lifecycle change. */
  private static final Duration CHANGE = Duration.ofSeconds(1);

  private LifecycleErrors() {}

  public static RuntimeException notFound(String name) {
    return GrpcErrors.error(
        Code.NOT_FOUND,
        ErrorReason.ERROR_REASON_LIFECYCLE_NOT_FOUND,
        GrpcErrors.cut("no lifecycle \"%s\" in this workspace".formatted(name)),
        Map.of());
  }

  /** The error that a set was not applied. */
  public static StatusRuntimeException of(ApplyOutcome.Refused refused) {
    return switch (refused) {
      case ApplyOutcome.Uncovered(var missing) -> uncovered(missing);
      case ApplyOutcome.Undefined(var definition) ->
          DefinitionGrpc.notFound(definition.name(), definition.version());
      case ApplyOutcome.InUse inUse -> inUse(inUse);
      case ApplyOutcome.Changing(var lifecycle) -> changing(lifecycle);
    };
  }

  public static StatusRuntimeException changing(String name) {
    return GrpcErrors.error(
        Code.UNAVAILABLE,
        ErrorReason.ERROR_REASON_LIFECYCLE_CHANGING,
        GrpcErrors.cut(
            "lifecycle \"%s\" is being changed; send the same request again".formatted(name)),
        Map.of(LIFECYCLE, GrpcErrors.cut(name)),
        GrpcErrors.retryInfo(CHANGE));
  }

  /** The error that these lifecycles of a request break rules; others are not reported. */
  static RuntimeException invalid(Map<String, ParsedLifecycle> texts) {
    var invalid =
        texts.values().stream()
            .filter(text -> !text.violations().isEmpty())
            .findFirst()
            .orElseThrow();
    var first = invalid.violations().getFirst();
    var all = texts.values().stream().mapToInt(text -> text.violations().size()).sum();
    var isAll =
        texts.values().stream()
            .allMatch(text -> text.violations().size() < DocumentReader.MAX_FINDINGS);
    return GrpcErrors.error(
        Code.INVALID_ARGUMENT,
        ErrorReason.ERROR_REASON_LIFECYCLE_INVALID,
        GrpcErrors.cut(first.text()) + more(all - 1, isAll),
        Map.of(
            LIFECYCLE,
            GrpcErrors.cut(invalid.name()),
            "step",
            GrpcErrors.cut(first.step().orElse("")),
            "rule",
            first.rule()),
        GrpcErrors.badRequest(
            texts.entrySet().stream()
                .flatMap(
                    text ->
                        text.getValue().violations().stream()
                            .map(violation -> fieldViolation(text.getKey(), violation)))
                .limit(MAX_REPORTED)
                .toList()));
  }

  private static Violation fieldViolation(String field, dev.hapax.domain.json.Violation violation) {
    return new Violation(
        GrpcErrors.cut(field + violation.pointer()), GrpcErrors.cut(violation.text()));
  }

  /** The number of violations besides the first. */
  private static String more(int rest, boolean isAll) {
    return rest == 0
        ? ""
        : String.format(Locale.ROOT, "; and %s%d more", isAll ? "" : "at least ", rest);
  }

  /** The error that claim states are not covered by a janitor contract. */
  private static StatusRuntimeException uncovered(List<UncoveredState> missing) {
    var first = missing.getFirst();
    return GrpcErrors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_CLAIM_STATE_UNCOVERED,
        GrpcErrors.cut(first.text()) + more(missing.size() - 1, true),
        Map.of(
            LIFECYCLE,
            GrpcErrors.cut(first.lifecycle()),
            "claim_state",
            GrpcErrors.cut(first.claimState()),
            "module",
            GrpcErrors.cut(first.module())),
        GrpcErrors.preconditions(
            ErrorReason.ERROR_REASON_CLAIM_STATE_UNCOVERED,
            missing.stream()
                .limit(MAX_REPORTED)
                .map(
                    each ->
                        new Violation(
                            GrpcErrors.cut(each.lifecycle() + "/" + each.claimState()),
                            GrpcErrors.cut(each.text())))
                .toList()));
  }

  private static StatusRuntimeException inUse(ApplyOutcome.InUse outcome) {
    var name = outcome.lifecycle();
    var statuses = String.join(", ", new TreeSet<>(outcome.statuses()));
    var first = outcome.stranded().getFirst();
    return GrpcErrors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_LIFECYCLE_IN_USE,
        GrpcErrors.cut(
                "lifecycle \"%s\" is in use: entity \"%s\" %s, and the change would remove %s"
                    .formatted(name, first.id().id(), where(first), statuses))
            + more(outcome.stranded().size() - (outcome.isAll() ? 1 : 0), outcome.isAll())
            + ". Move the entities to other statuses first, or keep these statuses",
        Map.of(LIFECYCLE, GrpcErrors.cut(name), "statuses", GrpcErrors.cut(statuses)),
        GrpcErrors.preconditions(
            ErrorReason.ERROR_REASON_LIFECYCLE_IN_USE,
            outcome.stranded().stream()
                .map(entity -> new Violation(entity.id().id(), GrpcErrors.cut(where(entity))))
                .toList()));
  }

  private static String where(Entity entity) {
    return switch (entity.hold()) {
      case ClaimState.Free _ -> "is \"%s\"".formatted(entity.status());
      case ClaimState.Held taken ->
          "is \"%s\", claimed by \"%s\" for \"%s\" since %s"
              .formatted(
                  entity.status(),
                  taken.action().holder(),
                  taken.action().transition().step(),
                  taken.action().since());
    };
  }
}
