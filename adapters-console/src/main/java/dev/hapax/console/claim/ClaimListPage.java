package dev.hapax.console.claim;

import dev.hapax.console.entity.EntityRow;
import dev.hapax.console.operation.OperationAddress;
import dev.hapax.console.view.Address;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.PageLinks;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Fields;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.HeldClaim;
import dev.hapax.v1.ListClaimsRequest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Lists what is held and can get stuck, and who frees it. */
public final class ClaimListPage implements ConsolePage {
  private static final int PAGE_SIZE = 50;
  private static final String KIND = "kind";
  private static final String LIFECYCLE = "lifecycle";

  /** Which claims are listed: kinds by their words, and the entities of a lifecycle. */
  public record Filter(List<String> kinds, String lifecycle) {
    public boolean isEmpty() {
      return kinds.isEmpty() && lifecycle.isEmpty();
    }

    public boolean has(String kind) {
      return kinds.contains(kind);
    }

    private Address address(String workspace) {
      return Address.of(workspace, "claims").with(KIND, kinds).with(LIFECYCLE, lifecycle);
    }
  }

  /** A page of claims. */
  public record View(Filter filter, List<Row> claims, PageLinks pages) {
    public List<String> choices() {
      return ClaimListPage.kinds().stream().map(ClaimListPage::word).toList();
    }
  }

  /** A claim: what is held, and by which call it is freed. */
  public record Row(
      String kind,
      String what,
      String href,
      String holder,
      DisplayTime since,
      Optional<DisplayTime> leaseUntil,
      String freedBy) {}

  private record Subject(String what, String href, String holder) {}

  @Override
  public Reply show(Visit visit) {
    var filter = filter(visit.query());
    var token = visit.query().text(PageLinks.FIELD);
    var answer =
        visit
            .api()
            .entities()
            .listClaims(
                ListClaimsRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .addAllKinds(kinds().stream().filter(kind -> filter.has(word(kind))).toList())
                    .setLifecycle(filter.lifecycle())
                    .setPageSize(PAGE_SIZE)
                    .setPageToken(token)
                    .build());
    var view =
        new View(
            filter,
            answer.getClaimsList().stream().map(claim -> row(claim, visit)).toList(),
            PageLinks.of(filter.address(visit.workspace()), token, answer.getNextPageToken()));
    return Reply.page(Section.CLAIMS, "Claims", "claim/list.jte", view);
  }

  private static Filter filter(Fields query) {
    var words = query.all(KIND);
    return new Filter(
        kinds().stream().map(ClaimListPage::word).filter(words::contains).toList(),
        query.text(LIFECYCLE));
  }

  private static List<ClaimKind> kinds() {
    return List.of(
        ClaimKind.CLAIM_KIND_ENTITY_CLAIMED,
        ClaimKind.CLAIM_KIND_ENTITY_RECOVERING,
        ClaimKind.CLAIM_KIND_OPERATION_INDETERMINATE,
        ClaimKind.CLAIM_KIND_RUN_FAILED,
        ClaimKind.CLAIM_KIND_RUN_PAUSED,
        ClaimKind.CLAIM_KIND_RUN_AWAITING,
        ClaimKind.CLAIM_KIND_STEP_IN_DOUBT);
  }

  private static String word(ClaimKind kind) {
    return kind.name().replace("CLAIM_KIND_", "").replace('_', ' ').toLowerCase(Locale.ROOT);
  }

  private static Row row(HeldClaim claim, Visit visit) {
    var subject = subject(claim, visit);
    return new Row(
        word(claim.getKind()),
        subject.what(),
        subject.href(),
        subject.holder(),
        DisplayTime.of(claim.getSince(), visit.now()),
        DisplayTime.optional(claim.hasLeaseUntil(), claim.getLeaseUntil(), visit.now()),
        claim.getFreedBy());
  }

  private static Subject subject(HeldClaim claim, Visit visit) {
    return switch (claim.getSubjectCase()) {
      case ENTITY -> {
        var entity = claim.getEntity();
        yield new Subject(
            entity.getLifecycle() + " " + entity.getId(),
            EntityRow.href(entity),
            entity.getClaim().getHolder());
      }
      case OPERATION -> {
        var operation = claim.getOperation();
        yield new Subject(
            operation.getOperation() + " " + operation.getRequestId(),
            OperationAddress.href(operation),
            "");
      }
      case RUN_ID ->
          new Subject(
              claim.getRunId(), Address.ofRun(visit.workspace(), claim.getRunId()).href(), "");
      case SUBJECT_NOT_SET -> new Subject("", Section.CLAIMS.href(visit.workspace()), "");
    };
  }
}
