package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.CallerText;
import dev.hapax.bootstrap.cli.call.Columns;
import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityClaim;
import java.time.Instant;
import java.util.List;

/** Entities as text. */
final class EntityText {
  private static final String NONE = "-";

  static final Columns<Entity> COLUMNS =
      Columns.<Entity>of("LIFECYCLE", 16, entity -> ValueFormat.line(entity.getLifecycle()))
          .add("ID", 32, entity -> ValueFormat.line(entity.getId()))
          .add("STATUS", 16, entity -> ValueFormat.line(entity.getStatus()))
          .add("VERSION", 7, entity -> Long.toString(entity.getVersion()))
          .add("HELD BY", 20, entity -> entity.hasClaim() ? holder(entity.getClaim()) : NONE)
          .addAged(
              "LEASE LEFT",
              13,
              (entity, now) ->
                  entity.hasClaim()
                      ? ValueFormat.left(entity.getClaim().getLeaseUntil(), now)
                      : NONE);

  private EntityText() {}

  static List<String> details(Entity entity, Instant now) {
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
