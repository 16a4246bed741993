package dev.hapax.grpc.run;

import com.google.rpc.Code;
import dev.hapax.domain.Failure;
import dev.hapax.domain.run.Inbox;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.v1.ErrorReason;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The errors of RunService and WorkerService. */
public final class RunErrors {
  private static final String RUN_ID = "run_id";

  private RunErrors() {}

  /** The error that a run does not exist whose id the caller did not send. */
  public static RuntimeException notFound() {
    return notFound("no such run");
  }

  /**
   * The error that a run does not exist.
   *
   * @param id as it was sent
   */
  public static RuntimeException notFoundBy(String id) {
    return notFound("no run \"%s\"".formatted(id));
  }

  private static RuntimeException notFound(String run) {
    return GrpcErrors.error(
        Code.NOT_FOUND,
        ErrorReason.ERROR_REASON_RUN_NOT_FOUND,
        run + " in this workspace, or it is past its retention",
        Map.of());
  }

  static Run required(RunId id, Optional<Run> found) {
    return found.orElseThrow(() -> notFoundBy(id.text()));
  }

  /**
   * The error that an idempotency key belongs to another start.
   *
   * @param fields the fields that differ
   */
  public static RuntimeException keyReused(RunId run, List<String> fields) {
    return GrpcErrors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_IDEMPOTENCY_KEY_REUSED,
        "idempotency_key belongs to %s, whose start differs in %s; use a new key, or repeat the request of that run"
            .formatted(run.text(), String.join(" and ", fields)),
        Map.of(RUN_ID, run.text(), "mismatch", String.join(",", fields)));
  }

  public static RuntimeException ended(RunId run, RunStatus status) {
    return GrpcErrors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_RUN_ENDED,
        "%s is %s and accepts no signals or hooks".formatted(run.text(), status),
        Map.of(RUN_ID, run.text(), "status", status.name()));
  }

  /** The error that a run cannot get a token while it waits for others. */
  public static RuntimeException waits(Run run) {
    return GrpcErrors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_ILLEGAL_TRANSITION,
        "%s waits for its turn and gets no token meanwhile; create the hook when it has begun"
            .formatted(run.id().text()),
        Map.of(RUN_ID, run.id().text(), "status", run.status().name()));
  }

  /**
   * The error of a control that the status does not allow.
   *
   * @param control as a participle, such as {@code cancelled}
   */
  public static RuntimeException notAllowed(RunId run, RunStatus status, String control) {
    return GrpcErrors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_ILLEGAL_TRANSITION,
        "%s is %s and cannot be %s".formatted(run.text(), status, control),
        Map.of(RUN_ID, run.text(), "status", status.name()));
  }

  /** The error of a control of a run whose idempotency key another run took. */
  static RuntimeException superseded(Run run, RunId by, String control) {
    return GrpcErrors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_ILLEGAL_TRANSITION,
        "%s is %s and cannot be %s: a corrected start took its idempotency key, and %s runs in its place"
            .formatted(run.id().text(), run.status(), control, by.text()),
        Map.of(RUN_ID, run.id().text(), "status", run.status().name(), "superseded_by", by.text()));
  }

  public static RuntimeException versionConflict(Run run) {
    return GrpcErrors.error(
        Code.ABORTED,
        ErrorReason.ERROR_REASON_CONCURRENCY_ERROR,
        String.format(
            Locale.ROOT,
            "%s has version %d now; read it and retry with this version",
            run.id().text(),
            run.version()),
        Map.of(RUN_ID, run.id().text(), "version", String.valueOf(run.version())));
  }

  public static RuntimeException inboxFull() {
    return GrpcErrors.error(
        Code.RESOURCE_EXHAUSTED,
        ErrorReason.ERROR_REASON_INBOX_FULL,
        String.format(
            Locale.ROOT,
            "the run's inbox is full: it has %d unconsumed signals",
            Inbox.MAX_UNCONSUMED),
        Map.of("limit", String.valueOf(Inbox.MAX_UNCONSUMED)));
  }

  public static RuntimeException eventLimit() {
    return GrpcErrors.error(
        Code.RESOURCE_EXHAUSTED,
        ErrorReason.ERROR_REASON_EVENT_LIMIT,
        String.format(
            Locale.ROOT,
            "the run has %d events and accepts no more signals or parts; it can still end",
            Run.MAX_EVENTS),
        Map.of("limit", String.valueOf(Run.MAX_EVENTS)));
  }

  static RuntimeException partInDoubt(String part, Optional<Failure> failure) {
    return GrpcErrors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_PART_IN_DOUBT,
        failure
            .map(
                why ->
                    "part \"%s\" failed for good with %s; its body must not run"
                        .formatted(part, why.code()))
            .orElseGet(
                () ->
                    "another worker began part \"%s\", and it is unknown whether it took effect; its body must not run"
                        .formatted(part)),
        Map.of("part", part));
  }

  static RuntimeException notSettleable(Run run, String why) {
    return GrpcErrors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_NOT_SETTLEABLE,
        "the step or part of %s cannot be settled: %s".formatted(run.id().text(), why),
        Map.of(RUN_ID, run.id().text(), "status", run.status().name()));
  }

  static RuntimeException stateTooLarge() {
    var rule =
        String.format(
            Locale.ROOT, "would make the run's state larger than %d bytes", Run.MAX_STATE);
    return GrpcErrors.error(
        Code.INVALID_ARGUMENT,
        ErrorReason.ERROR_REASON_STATE_TOO_LARGE,
        "state_patch " + rule,
        Map.of("limit", String.valueOf(Run.MAX_STATE)),
        GrpcErrors.badRequest("state_patch", rule));
  }

  public static RuntimeException hookNotFound() {
    return GrpcErrors.error(
        Code.NOT_FOUND,
        ErrorReason.ERROR_REASON_HOOK_NOT_FOUND,
        "no run of this workspace owns the token, or its owner has ended",
        Map.of());
  }

  public static RuntimeException hookConflict(RunId owner) {
    return GrpcErrors.error(
        Code.FAILED_PRECONDITION,
        ErrorReason.ERROR_REASON_HOOK_CONFLICT,
        "the token belongs to %s".formatted(owner.text()),
        Map.of(RUN_ID, owner.text()));
  }
}
