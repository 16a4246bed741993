package dev.hapax.console.operation;

import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.PageLinks;
import dev.hapax.console.view.Section;
import dev.hapax.console.view.StatusTag;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.Operation;
import java.util.List;

/** Lists operations, newest grant first. */
public final class OperationListPage implements ConsolePage {
  private static final int PAGE_SIZE = 50;

  /** A page of operations. */
  public record View(OperationListFilter filter, List<Row> operations, PageLinks pages) {}

  /** An operation in a list. */
  public record Row(
      String request,
      String href,
      String operation,
      String account,
      StatusTag state,
      String failure,
      int attempt,
      DisplayTime started) {}

  @Override
  public Reply show(Visit visit) {
    var filter = OperationListFilter.read(visit.query());
    var token = visit.query().text(PageLinks.FIELD);
    var answer =
        visit
            .api()
            .operations()
            .listOperations(
                filter
                    .request(visit.workspace())
                    .setPageSize(PAGE_SIZE)
                    .setPageToken(token)
                    .build());
    var view =
        new View(
            filter,
            answer.getOperationsList().stream().map(each -> row(each, visit)).toList(),
            PageLinks.of(filter.address(visit.workspace()), token, answer.getNextPageToken()));
    return Reply.page(Section.OPERATIONS, "Operations", "operation/list.jte", view);
  }

  private static Row row(Operation operation, Visit visit) {
    var failure = operation.getFailure();
    return new Row(
        operation.getRequestId(),
        OperationAddress.href(operation),
        operation.getOperation(),
        operation.getAccount(),
        OperationPhase.of(operation, visit.now()).tag(),
        (failure.getCode() + " " + failure.getMessage()).strip(),
        operation.getAttempt(),
        DisplayTime.of(operation.getStartedAt(), visit.now()));
  }
}
