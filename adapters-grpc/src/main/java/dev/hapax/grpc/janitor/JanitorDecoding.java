package dev.hapax.grpc.janitor;

import dev.hapax.application.janitor.PollRecoveries;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.Digest;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.entity.CompleteRecovery;
import dev.hapax.domain.entity.RecoveryClaim;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.domain.run.RunId;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.lifecycle.ContractFields;
import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.SweepRequest;
import java.util.function.BiFunction;

/** Decodes the requests of JanitorService. */
final class JanitorDecoding {
  private JanitorDecoding() {}

  static JanitorId id(String workspace, String module) {
    return new JanitorId(FieldReader.workspace(workspace), module);
  }

  static Attribution sweeper(JanitorId janitor, SweepRequest request) {
    return CallerReader.attribution(
        CallerReader.actor(request.getActor(), janitor.attribution().actor()), request.getReason());
  }

  static LifecycleSet declaration(DeclareJanitorRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    return LifecycleSet.of(workspace, ContractFields.read("contract", request.getContract()));
  }

  static PollRecoveries poll(PollRecoveriesRequest request) {
    var janitor = id(request.getWorkspace(), request.getModule());
    return new PollRecoveries(
        janitor,
        FieldReader.optional(request.getWorkerId()).orElse(janitor.module()),
        FieldReader.optional(request.getAttemptId()).map(Digest::sha256),
        Durations.decode(request.hasLease(), request.getLease(), LeaseLimits.DEFAULT_OF_RECOVERY),
        FieldReader.orOne(request.getMaxRecoveries()),
        CallerReader.principal());
  }

  /** Decodes a completion, to be applied to its claim and a run drawn for the after-effect. */
  static BiFunction<RecoveryClaim, RunId, CompleteRecovery> completion(
      CompleteRecoveryRequest request) {
    var verdict = verdict(request);
    var reason = request.getReason();
    var by = CallerReader.actor(request.getActor());
    return (claim, effect) -> new CompleteRecovery(claim, verdict, reason, effect, by);
  }

  private static RecoveryVerdict verdict(CompleteRecoveryRequest request) {
    return switch (request.getOutcome()) {
      case RECOVERY_OUTCOME_COMPLETE -> RecoveryVerdict.COMPLETE;
      case RECOVERY_OUTCOME_REVERT -> RecoveryVerdict.REVERT;
      case RECOVERY_OUTCOME_UNSPECIFIED ->
          throw new InvalidFieldException("outcome", "must be COMPLETE or REVERT");
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }
}
