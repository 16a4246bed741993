package dev.hapax.grpc.janitor;

import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.BeginRecoveryOutcome.Claimed;
import dev.hapax.domain.entity.CompleteRecovery;
import dev.hapax.domain.entity.CompleteRecoveryOutcome;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.grpc.entity.EntityEncoding;
import dev.hapax.grpc.lifecycle.ContractFields;
import dev.hapax.v1.CompleteRecoveryResponse;
import dev.hapax.v1.Janitor.Coverage;
import dev.hapax.v1.Recovery;
import java.util.List;
import java.util.TreeMap;

/** Encodes janitors and recoveries. */
final class JanitorEncoding {
  private JanitorEncoding() {}

  static dev.hapax.v1.Janitor janitor(JanitorStatus watched) {
    var janitor = watched.janitor();
    var message =
        dev.hapax.v1.Janitor.newBuilder()
            .setWorkspace(watched.id().workspace().name())
            .setModule(watched.id().module())
            .addAllCoverage(coverage(janitor))
            .setLag(Durations.encode(watched.lag()))
            .setOverdue(watched.isOverdue());
    janitor
        .contract()
        .ifPresent(
            contract ->
                message
                    .setContract(ContractFields.write(contract))
                    .setDeclaredAt(Durations.encode(janitor.declaredAt()))
                    .setDeclaredBy(janitor.by().actor())
                    .setDeclaredByPrincipal(janitor.by().principal().text())
                    .setReason(janitor.by().reason()));
    watched
        .last()
        .ifPresent(
            round ->
                message.setLastSweep(Durations.encode(round.at())).setLastFreed(round.freed()));
    return message.build();
  }

  private static List<Coverage> coverage(Janitor janitor) {
    return new TreeMap<>(janitor.demands())
        .values().stream()
            .flatMap(
                demand ->
                    demand.claimStates().stream()
                        .map(
                            state ->
                                Coverage.newBuilder()
                                    .setLifecycle(demand.lifecycle())
                                    .setClaimState(state)
                                    .setCovered(
                                        janitor.contract().filter(c -> c.covers(state)).isPresent())
                                    .build()))
            .toList();
  }

  static Recovery recovery(RecoveryClaims claims, Claimed claimed) {
    var lost = claimed.lost();
    var action =
        Recovery.LostAction.newBuilder()
            .setStepKey(lost.transition().step())
            .setRequester(lost.transition().requester())
            .setHolder(lost.holder())
            .setSince(Durations.encode(lost.since()))
            .setFence(lost.fence().value())
            .setSuccessfulState(lost.transition().to())
            .setRevertTo(lost.claim().revertTo());
    lost.transition().action().ifPresent(action::setAction);
    return Recovery.newBuilder()
        .setClaim(claims.write(claimed.claim()))
        .setEntity(EntityEncoding.entity(claimed.entity()))
        .setLost(action)
        .setLeaseRemaining(Durations.encode(claimed.leaseRemaining()))
        .build();
  }

  static CompleteRecoveryResponse completed(
      PresentedClaim<CompleteRecovery> completion, CompleteRecoveryOutcome outcome) {
    var response = CompleteRecoveryResponse.newBuilder();
    return switch (outcome) {
      case CompleteRecoveryOutcome.Recovered(var entity, _, var already) ->
          response
              .setCompleted(
                  CompleteRecoveryResponse.Completed.newBuilder()
                      .setEntity(EntityEncoding.entity(entity))
                      .setAlready(already))
              .build();
      case ActionClaimLost lost ->
          response.setClaimLost(EntityEncoding.claimLost(completion.workspace(), lost)).build();
    };
  }
}
