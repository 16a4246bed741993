package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.cli.call.Table.Column;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.HeldClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Held claims and runs that need an operator as a table, with ages relative to an instant. */
record ClaimTable(Instant now) {
  private static final String NONE = "-";

  List<String> table(List<HeldClaim> claims) {
    var table =
        Table.ofWidths(
            new Column("KIND", 23),
            new Column("WHAT", 40),
            new Column("HELD BY", 20),
            new Column("FOR", 5),
            new Column("LEASE LEFT", 16),
            new Column("FREED BY", 24));
    for (var claim : claims) {
      table.add(
          ClaimKindOption.text(claim.getKind()),
          ValueFormat.line(what(claim)),
          claim.hasEntity() ? EntityText.holder(claim.getEntity().getClaim()) : NONE,
          ValueFormat.duration(Duration.between(ValueFormat.instant(claim.getSince()), now)),
          claim.hasLeaseUntil() ? ValueFormat.left(claim.getLeaseUntil(), now) : NONE,
          ValueFormat.line(claim.getFreedBy()));
    }
    return table.lines();
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
