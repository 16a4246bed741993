package dev.hapax.grpc.lifecycle;

import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.janitor.ClaimStateCoverage;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.InvalidFieldException;
import java.util.Set;

/** Reads and writes the contracts of janitors. */
public final class ContractFields {
  private ContractFields() {}

  /** Reads a contract; an error names the field within this one. */
  public static JanitorContract read(String field, dev.hapax.v1.JanitorContract sent) {
    return new JanitorContract(
        sent.getModule(),
        coverage(field, sent),
        JanitorTiming.of(
            Durations.decode(
                sent.hasStaleAfter(), sent.getStaleAfter(), LeaseLimits.DEFAULT_OF_ACTION),
            Durations.decode(sent.hasEvery(), sent.getEvery(), JanitorTiming.DEFAULT_EVERY)),
        mode(sent));
  }

  private static ClaimStateCoverage coverage(String field, dev.hapax.v1.JanitorContract sent) {
    if (!sent.getAllClaimStates()) {
      return new ClaimStateCoverage.Named(Set.copyOf(sent.getClaimStatesList()));
    }
    if (sent.getClaimStatesCount() > 0) {
      throw new InvalidFieldException(
          field + ".claim_states", "must be empty where all_claim_states is set");
    }
    return new ClaimStateCoverage.All();
  }

  private static JanitorMode mode(dev.hapax.v1.JanitorContract sent) {
    return switch (sent.getMode()) {
      case JANITOR_MODE_UNSPECIFIED, JANITOR_MODE_HOSTED -> JanitorMode.HOSTED;
      case JANITOR_MODE_REMOTE -> JanitorMode.REMOTE;
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  /** Writes all fields of a contract. */
  public static dev.hapax.v1.JanitorContract write(JanitorContract contract) {
    return dev.hapax.v1.JanitorContract.newBuilder()
        .setModule(contract.module())
        .addAllClaimStates(contract.claimStates())
        .setAllClaimStates(contract.coversAll())
        .setStaleAfter(Durations.encode(contract.timing().staleAfter()))
        .setEvery(Durations.encode(contract.timing().every()))
        .setMode(
            switch (contract.mode()) {
              case HOSTED -> dev.hapax.v1.JanitorMode.JANITOR_MODE_HOSTED;
              case REMOTE -> dev.hapax.v1.JanitorMode.JANITOR_MODE_REMOTE;
            })
        .build();
  }
}
