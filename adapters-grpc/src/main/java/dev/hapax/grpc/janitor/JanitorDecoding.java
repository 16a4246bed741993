package dev.hapax.grpc.janitor;

import dev.hapax.application.janitor.PollRecoveries;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.Digest;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.entity.CompleteRecovery;
import dev.hapax.domain.entity.RecoveryClaim;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.janitor.ClaimStateCoverage;
import dev.hapax.domain.janitor.DeclareJanitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.run.RunId;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.SweepRequest;
import java.util.Set;
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

  static DeclareJanitor declaration(DeclareJanitorRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    var contract = contract(request.getContract());
    var by = CallerReader.attribution(request.getActor(), request.getReason());
    return new DeclareJanitor(workspace, contract, by);
  }

  private static JanitorContract contract(dev.hapax.v1.JanitorContract sent) {
    return new JanitorContract(
        sent.getModule(),
        coverage(sent),
        JanitorTiming.of(
            Durations.decode(
                sent.hasStaleAfter(), sent.getStaleAfter(), LeaseLimits.DEFAULT_OF_ACTION),
            Durations.decode(sent.hasEvery(), sent.getEvery(), JanitorTiming.DEFAULT_EVERY)),
        mode(sent));
  }

  private static ClaimStateCoverage coverage(dev.hapax.v1.JanitorContract sent) {
    if (!sent.getAllClaimStates()) {
      return new ClaimStateCoverage.Named(claimStates(sent));
    }
    if (sent.getClaimStatesCount() > 0) {
      throw new InvalidFieldException(
          "contract.claim_states", "must be empty where all_claim_states is set");
    }
    return new ClaimStateCoverage.All();
  }

  private static Set<String> claimStates(dev.hapax.v1.JanitorContract sent) {
    return Set.copyOf(sent.getClaimStatesList());
  }

  private static JanitorMode mode(dev.hapax.v1.JanitorContract sent) {
    return switch (sent.getMode()) {
      case JANITOR_MODE_UNSPECIFIED, JANITOR_MODE_HOSTED -> JanitorMode.HOSTED;
      case JANITOR_MODE_REMOTE -> JanitorMode.REMOTE;
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
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
