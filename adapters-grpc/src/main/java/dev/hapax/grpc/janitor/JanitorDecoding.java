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
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiFunction;

/** Decodes the requests of JanitorService. */
final class JanitorDecoding {
  private JanitorDecoding() {}

  static JanitorId id(String workspace, String module) {
    return new JanitorId(
        FieldReader.workspace(workspace), FieldReader.requiredName("module", module));
  }

  static Attribution sweeper(JanitorId janitor, SweepRequest request) {
    return CallerReader.attribution(
        CallerReader.actor(request.getActor(), janitor.attribution().actor()), request.getReason());
  }

  static DeclareJanitor declaration(DeclareJanitorRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    if (!request.hasContract()) {
      throw new InvalidFieldException("contract", "is required");
    }
    var contract = contract(request.getContract());
    var by = CallerReader.attribution(request.getActor(), request.getReason());
    return new DeclareJanitor(workspace, contract, by);
  }

  private static JanitorContract contract(dev.hapax.v1.JanitorContract sent) {
    return new JanitorContract(
        FieldReader.requiredName("contract.module", sent.getModule()),
        coverage(sent),
        JanitorTiming.of(
            Durations.read(
                "contract.stale_after",
                sent.hasStaleAfter(),
                sent.getStaleAfter(),
                LeaseLimits.DEFAULT_OF_ACTION,
                JanitorTiming::require),
            Durations.read(
                "contract.every",
                sent.hasEvery(),
                sent.getEvery(),
                JanitorTiming.DEFAULT_EVERY,
                JanitorTiming::require)),
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
    var states = new HashSet<String>();
    for (var i = 0; i < sent.getClaimStatesCount(); i++) {
      states.add(
          FieldReader.requiredShortName(
              String.format(Locale.ROOT, "contract.claim_states[%d]", i), sent.getClaimStates(i)));
    }
    return FieldReader.read("contract.claim_states", states, JanitorContract::requireClaimStates);
  }

  private static JanitorMode mode(dev.hapax.v1.JanitorContract sent) {
    return switch (FieldReader.known(
        "contract.mode", sent.getModeValue(), dev.hapax.v1.JanitorMode::forNumber)) {
      case JANITOR_MODE_UNSPECIFIED, JANITOR_MODE_HOSTED -> JanitorMode.HOSTED;
      case JANITOR_MODE_REMOTE -> JanitorMode.REMOTE;
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  static PollRecoveries poll(PollRecoveriesRequest request) {
    var janitor = id(request.getWorkspace(), request.getModule());
    return new PollRecoveries(
        janitor,
        FieldReader.optionalName("worker_id", request.getWorkerId()).orElse(janitor.module()),
        FieldReader.optionalName("attempt_id", request.getAttemptId()).map(Digest::sha256),
        Durations.read(
            "lease",
            request.hasLease(),
            request.getLease(),
            LeaseLimits.DEFAULT_OF_RECOVERY,
            LeaseLimits::checked),
        FieldReader.pollSize(
            "max_recoveries", request.getMaxRecoveries(), PollRecoveries.MAX_RECOVERIES),
        CallerReader.principal());
  }

  /** Decodes a completion, to be applied to its claim and a run drawn for the after-effect. */
  static BiFunction<RecoveryClaim, RunId, CompleteRecovery> completion(
      CompleteRecoveryRequest request) {
    var verdict = verdict(request);
    var reason = FieldReader.name("reason", request.getReason());
    var by = CallerReader.actor(request.getActor());
    return (claim, effect) -> new CompleteRecovery(claim, verdict, reason, effect, by);
  }

  private static RecoveryVerdict verdict(CompleteRecoveryRequest request) {
    return switch (FieldReader.known(
        "outcome", request.getOutcomeValue(), dev.hapax.v1.RecoveryOutcome::forNumber)) {
      case RECOVERY_OUTCOME_COMPLETE -> RecoveryVerdict.COMPLETE;
      case RECOVERY_OUTCOME_REVERT -> RecoveryVerdict.REVERT;
      case RECOVERY_OUTCOME_UNSPECIFIED ->
          throw new InvalidFieldException("outcome", "must be COMPLETE or REVERT");
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }
}
