package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.Columns;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.HeldClaim;

/** Held claims and runs that need an operator as text. */
final class ClaimText {
  private static final String NONE = "-";

  static final Columns<HeldClaim> COLUMNS =
      Columns.<HeldClaim>of("KIND", 23, claim -> EnumOption.text(claim.getKind()))
          .add("WHAT", 40, claim -> ValueFormat.line(what(claim)))
          .add("HELD BY", 20, claim -> claim.hasEntity() ? holder(claim) : NONE)
          .addAged("FOR", 5, (claim, now) -> ValueFormat.age(claim.getSince(), now))
          .addAged(
              "LEASE LEFT",
              16,
              (claim, now) ->
                  claim.hasLeaseUntil() ? ValueFormat.left(claim.getLeaseUntil(), now) : NONE)
          .add("FREED BY", 24, claim -> ValueFormat.line(claim.getFreedBy()));

  private ClaimText() {}

  private static String holder(HeldClaim claim) {
    return EntityText.holder(claim.getEntity().getClaim());
  }

  private static String what(HeldClaim claim) {
    return switch (claim.getSubjectCase()) {
      case ENTITY ->
          "%s %s, %s"
              .formatted(
                  claim.getEntity().getLifecycle(),
                  claim.getEntity().getId(),
                  claim.getEntity().getStatus());
      case OPERATION ->
          claim.getOperation().getOperation() + " " + claim.getOperation().getRequestId();
      case RUN_ID -> claim.getRunId();
      case SUBJECT_NOT_SET -> NONE;
    };
  }
}
