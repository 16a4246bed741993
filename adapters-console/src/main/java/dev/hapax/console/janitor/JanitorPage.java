package dev.hapax.console.janitor;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.ConsolePermission;
import dev.hapax.console.view.Fact;
import dev.hapax.console.view.Facts;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.ListJanitorsRequest;
import io.grpc.Status;
import java.util.List;
import java.util.Set;

/** Shows one janitor: whether it is on schedule, what it covers, and its contract. */
public final class JanitorPage implements ConsolePage {
  /** The most a page of the API has. */
  private static final int PAGE_SIZE = 500;

  private static final Set<String> ABOUT =
      Set.of("contract", "declared at", "declared by", "reason", "declared by principal");

  /** A janitor with all that its page shows. */
  public record View(
      JanitorRow janitor, boolean declared, boolean sweeps, List<Row> coverage, List<Fact> facts) {}

  /** A claim state that lifecycles of the module have. */
  public record Row(
      String lifecycle, String href, String claimState, boolean covered, String claimsHref) {}

  @Override
  public Reply show(Visit visit) {
    var janitor = read(visit);
    var view =
        new View(
            JanitorRow.of(janitor, visit.now()),
            janitor.hasContract(),
            JanitorRow.isHosted(janitor) && visit.may(ConsolePermission.OPERATE),
            janitor.getCoverageList().stream().map(each -> row(each, visit)).toList(),
            new Facts(visit.workspace(), visit.now())
                .of(janitor).stream().filter(fact -> ABOUT.contains(fact.name())).toList());
    return Reply.page(Section.JANITORS, janitor.getModule(), "janitor/janitor.jte", view);
  }

  private static Row row(Janitor.Coverage coverage, Visit visit) {
    var name = coverage.getLifecycle();
    return new Row(
        name,
        Address.of(visit.workspace(), "lifecycles", name).href(),
        coverage.getClaimState(),
        coverage.getCovered(),
        Address.of(visit.workspace(), "entities")
            .with("lifecycle", name)
            .with("status", coverage.getClaimState())
            .href());
  }

  /** Finds the janitor that the address names: the API only lists them. */
  private static Janitor read(Visit visit) {
    var module = visit.segment("module");
    var token = "";
    do {
      var answer =
          visit
              .api()
              .janitors()
              .listJanitors(
                  ListJanitorsRequest.newBuilder()
                      .setWorkspace(visit.workspace())
                      .setPageSize(PAGE_SIZE)
                      .setPageToken(token)
                      .build());
      for (var janitor : answer.getJanitorsList()) {
        if (janitor.getModule().equals(module)) {
          return janitor;
        }
      }
      token = answer.getNextPageToken();
    } while (!token.isEmpty());
    throw Status.NOT_FOUND
        .withDescription("module %s has no janitor and needs none".formatted(module))
        .asRuntimeException();
  }
}
