package dev.hapax.console.lifecycle;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.Fact;
import dev.hapax.console.view.Facts;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.GetLifecycleRequest;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.Payload;
import java.util.List;
import java.util.Set;

/** Shows one lifecycle: its graph, its steps and its JSON. */
public final class LifecyclePage implements ConsolePage {
  private static final Set<String> SHOWN_BESIDE =
      Set.of("workspace", "name", "module", "json", "status types", "claim states");

  /** A lifecycle with all that its page shows. */
  public record View(
      String name,
      LifecycleDrawing drawing,
      List<LifecycleEdge> steps,
      String module,
      String moduleHref,
      String entitiesHref,
      List<Fact> facts,
      String json) {}

  @Override
  public Reply show(Visit visit) {
    var lifecycle = read(visit, visit.segment("lifecycle"));
    var name = lifecycle.getName();
    var view =
        new View(
            name,
            LifecycleDrawing.of(lifecycle, ""),
            LifecycleSteps.read(lifecycle.getJson()),
            lifecycle.getModule(),
            Address.of(visit.workspace(), "janitors", lifecycle.getModule()).href(),
            Address.of(visit.workspace(), "entities").with("lifecycle", name).href(),
            new Facts(visit.workspace(), visit.now())
                .of(lifecycle).stream()
                    .filter(fact -> !SHOWN_BESIDE.contains(fact.name()))
                    .toList(),
            Facts.text(Payload.newBuilder().setJson(lifecycle.getJson()).build()));
    return Reply.page(Section.LIFECYCLES, name, "lifecycle/lifecycle.jte", view);
  }

  /** Reads a lifecycle with its JSON. */
  public static Lifecycle read(Visit visit, String name) {
    return visit
        .api()
        .lifecycles()
        .getLifecycle(
            GetLifecycleRequest.newBuilder().setWorkspace(visit.workspace()).setName(name).build())
        .getLifecycle();
  }
}
