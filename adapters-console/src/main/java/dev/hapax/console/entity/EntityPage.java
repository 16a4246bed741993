package dev.hapax.console.entity;

import dev.hapax.console.lifecycle.LifecycleDrawing;
import dev.hapax.console.lifecycle.LifecyclePage;
import dev.hapax.console.view.Address;
import dev.hapax.console.view.ConsolePermission;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.Fact;
import dev.hapax.console.view.Facts;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.Entity;
import dev.hapax.v1.GetEntityRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Shows one entity: who has it, where it stands in its lifecycle, and its history. */
public final class EntityPage implements ConsolePage {
  private static final Set<String> SHOWN_BESIDE =
      Set.of("workspace", "lifecycle", "id", "status", "claim");
  private static final Set<String> CLAIM_BESIDE = Set.of("since", "lease until");

  @Override
  public Reply show(Visit visit) {
    var entity = read(visit);
    var claim = entity.getClaim();
    var facts = new Facts(visit.workspace(), visit.now());
    var view =
        new EntityView(
            entity,
            EntityRow.href(entity),
            Address.of(visit.workspace(), "lifecycles", entity.getLifecycle()).href(),
            verbs(visit, entity),
            ClaimPhase.of(entity, visit.now()),
            DisplayTime.optional(entity.hasClaim(), claim.getSince(), visit.now()),
            DisplayTime.optional(entity.hasClaim(), claim.getLeaseUntil(), visit.now()),
            without(facts.of(claim), CLAIM_BESIDE),
            drawing(visit, entity),
            Address.of(visit.workspace(), "runs")
                .with("label", "hapax.lifecycle=" + entity.getLifecycle())
                .with("label", "hapax.entity=" + entity.getId())
                .href(),
            without(facts.of(entity), SHOWN_BESIDE),
            EntityHistoryPart.read(visit, entity, facts));
    return Reply.page(
        Section.ENTITIES, entity.getLifecycle() + " " + entity.getId(), "entity/entity.jte", view);
  }

  /** Reads the entity that the address names. */
  static Entity read(Visit visit) {
    return visit
        .api()
        .entities()
        .getEntity(
            GetEntityRequest.newBuilder()
                .setWorkspace(visit.workspace())
                .setLifecycle(visit.segment("lifecycle"))
                .setEntityId(visit.segment("entity"))
                .build())
        .getEntity();
  }

  private static List<ReleaseVerb> verbs(Visit visit, Entity entity) {
    return entity.hasClaim() && visit.may(ConsolePermission.OPERATE)
        ? Arrays.asList(ReleaseVerb.values())
        : List.of();
  }

  private static List<Fact> without(List<Fact> facts, Set<String> names) {
    return facts.stream().filter(fact -> !names.contains(fact.name())).toList();
  }

  private static Optional<LifecycleDrawing> drawing(Visit visit, Entity entity) {
    try {
      return Optional.of(
          LifecycleDrawing.of(
              LifecyclePage.read(visit, entity.getLifecycle()), entity.getStatus()));
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Status.Code.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
