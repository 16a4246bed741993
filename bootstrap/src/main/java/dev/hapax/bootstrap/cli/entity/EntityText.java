package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.CallerText;
import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.cli.call.Table.Column;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityClaim;
import java.time.Instant;
import java.util.List;

/** Entities as text, with ages relative to an instant. */
record EntityText(Instant now) {
  private static final String NONE = "-";

  List<String> table(List<Entity> entities) {
    var table =
        Table.ofWidths(
            new Column("LIFECYCLE", 16),
            new Column("ID", 32),
            new Column("STATUS", 16),
            new Column("VERSION", 7),
            new Column("HELD BY", 20),
            new Column("LEASE LEFT", 13));
    for (var entity : entities) {
      table.add(
          ValueFormat.line(entity.getLifecycle()),
          ValueFormat.line(entity.getId()),
          ValueFormat.line(entity.getStatus()),
          Long.toString(entity.getVersion()),
          entity.hasClaim() ? holder(entity.getClaim()) : NONE,
          entity.hasClaim() ? ValueFormat.left(entity.getClaim().getLeaseUntil(), now) : NONE);
    }
    return table.lines();
  }

  List<String> details(Entity entity) {
    var details = new DetailLines();
    details.add("lifecycle", entity.getLifecycle());
    details.add("id", entity.getId());
    details.add("workspace", entity.getWorkspace());
    details.add("status", entity.getStatus());
    details.add("version", Long.toString(entity.getVersion()));
    details.add("fence", Long.toString(entity.getFence()));
    details.add("created", ValueFormat.moment(entity.getCreatedAt(), now));
    if (entity.hasClaim()) {
      var claim = entity.getClaim();
      details.add("held by", CallerText.of(claim.getHolder(), claim.getHolderPrincipal()));
      details.add(
          "recovered by", CallerText.of(claim.getRecoveringBy(), claim.getRecoveringByPrincipal()));
      details.add("since", ValueFormat.moment(claim.getSince(), now));
      details.add("lease left", ValueFormat.left(claim.getLeaseUntil(), now));
      details.add("step", claim.getStepKey() + " (" + claim.getRequester() + ")");
      details.add("action", claim.getAction());
      details.add("on failure", claim.getRevertTo());
      details.add("janitor", claim.getModule());
    }
    return details.lines();
  }

  /** Returns the holder, or the worker that recovers for it. */
  static String holder(EntityClaim claim) {
    return ValueFormat.line(
        claim.getRecoveringBy().isEmpty()
            ? claim.getHolder()
            : claim.getRecoveringBy() + ", for " + claim.getHolder());
  }
}
