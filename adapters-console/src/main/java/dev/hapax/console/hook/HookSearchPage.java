package dev.hapax.console.hook;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.ConsolePermission;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.PageLinks;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsoleAction;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Fields;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.HeldClaim;
import dev.hapax.v1.ListClaimsRequest;
import java.util.List;

/**
 * Finds a hook by its token, and lists runs that wait for a signal. A token permits to signal its
 * owner, so it is sent in a form and is in no address.
 */
public final class HookSearchPage implements ConsolePage, ConsoleAction {
  private static final int PAGE_SIZE = 50;

  /** The filters of a search, and the runs that wait for a signal without a timeout. */
  public record View(List<Row> waiting, PageLinks pages) {}

  /** A run that waits for a signal. */
  public record Row(String run, String href, DisplayTime created) {}

  @Override
  public Reply show(Visit visit) {
    var token = visit.query().text(PageLinks.FIELD);
    var answer =
        visit
            .api()
            .entities()
            .listClaims(
                ListClaimsRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .addKinds(ClaimKind.CLAIM_KIND_RUN_AWAITING)
                    .setPageSize(PAGE_SIZE)
                    .setPageToken(token)
                    .build());
    var view =
        new View(
            answer.getClaimsList().stream().map(claim -> row(claim, visit)).toList(),
            PageLinks.of(Address.of(visit.workspace(), "hooks"), token, answer.getNextPageToken()));
    return Reply.page(Section.HOOKS, "Hooks", "hook/search.jte", view);
  }

  private static Row row(HeldClaim claim, Visit visit) {
    return new Row(
        claim.getRunId(),
        Address.ofRun(visit.workspace(), claim.getRunId()).href(),
        DisplayTime.of(claim.getSince(), visit.now()));
  }

  @Override
  public Reply perform(Visit visit, Fields form) {
    var token = form.text("token");
    return token.isEmpty()
        ? show(visit)
        : Reply.page(
            Section.HOOKS,
            "Hook",
            "hook/hook.jte",
            HookPart.read(visit, token, visit.may(ConsolePermission.CALL)));
  }
}
