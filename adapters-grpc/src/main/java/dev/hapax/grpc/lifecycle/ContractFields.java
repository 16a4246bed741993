package dev.hapax.grpc.lifecycle;

import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.janitor.ClaimStateCoverage;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Reads and writes the contracts of janitors. */
public final class ContractFields {
  private ContractFields() {}

  /** Reads a contract; an error names the field within this one. */
  public static JanitorContract read(String field, dev.hapax.v1.JanitorContract sent) {
    return new JanitorContract(
        FieldReader.requiredName(field + ".module", sent.getModule()),
        coverage(field, sent),
        JanitorTiming.of(
            Durations.read(
                field + ".stale_after",
                sent.hasStaleAfter(),
                sent.getStaleAfter(),
                LeaseLimits.DEFAULT_OF_ACTION,
                JanitorTiming::require),
            Durations.read(
                field + ".every",
                sent.hasEvery(),
                sent.getEvery(),
                JanitorTiming.DEFAULT_EVERY,
                JanitorTiming::require)),
        mode(field, sent));
  }

  private static ClaimStateCoverage coverage(String field, dev.hapax.v1.JanitorContract sent) {
    if (!sent.getAllClaimStates()) {
      return new ClaimStateCoverage.Named(claimStates(field, sent));
    }
    if (sent.getClaimStatesCount() > 0) {
      throw new InvalidFieldException(
          field + ".claim_states", "must be empty where all_claim_states is set");
    }
    return new ClaimStateCoverage.All();
  }

  private static Set<String> claimStates(String field, dev.hapax.v1.JanitorContract sent) {
    var states = new HashSet<String>();
    for (var i = 0; i < sent.getClaimStatesCount(); i++) {
      states.add(
          FieldReader.requiredShortName(
              String.format(Locale.ROOT, "%s.claim_states[%d]", field, i), sent.getClaimStates(i)));
    }
    return FieldReader.read(field + ".claim_states", states, JanitorContract::requireClaimStates);
  }

  private static JanitorMode mode(String field, dev.hapax.v1.JanitorContract sent) {
    return switch (FieldReader.known(
        field + ".mode", sent.getModeValue(), dev.hapax.v1.JanitorMode::forNumber)) {
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
