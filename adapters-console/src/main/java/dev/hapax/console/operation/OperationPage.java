package dev.hapax.console.operation;

import dev.hapax.console.view.ConsolePermission;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.Fact;
import dev.hapax.console.view.Facts;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.Operation;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Shows one operation: whether it is in progress and until when, its answer and its record. */
public final class OperationPage implements ConsolePage {
  private static final Set<String> ANSWER = Set.of("result", "failure");
  private static final Set<String> IN_TITLE = Set.of("workspace", "state", "request id");

  /** Something that can be done with an operation now. */
  public record Verb(String title, String href) {}

  /**
   * An operation with all that its page shows.
   *
   * @param answer its result or its last failure; none = it has none
   */
  public record View(
      Operation operation,
      OperationPhase phase,
      List<Verb> verbs,
      DisplayTime started,
      DisplayTime leaseUntil,
      DisplayTime ended,
      DisplayTime expires,
      List<Fact> answer,
      List<Fact> facts) {}

  @Override
  public Reply show(Visit visit) {
    var operation = read(visit);
    var facts = new Facts(visit.workspace(), visit.now()).of(operation);
    var view =
        new View(
            operation,
            OperationPhase.of(operation, visit.now()),
            verbs(visit, operation),
            DisplayTime.of(operation.getStartedAt(), visit.now()),
            DisplayTime.of(operation.getLeaseUntil(), visit.now()),
            DisplayTime.of(operation.getEndedAt(), visit.now()),
            DisplayTime.of(operation.getExpiresAt(), visit.now()),
            facts.stream().filter(fact -> ANSWER.contains(fact.name())).toList(),
            facts.stream()
                .filter(fact -> !ANSWER.contains(fact.name()) && !IN_TITLE.contains(fact.name()))
                .toList());
    return Reply.page(
        Section.OPERATIONS,
        operation.getOperation() + " " + operation.getRequestId(),
        "operation/operation.jte",
        view);
  }

  /** Reads the operation that the address names. */
  static Operation read(Visit visit) {
    var key = OperationAddress.read(visit.query());
    return visit
        .api()
        .operations()
        .getOperation(
            GetOperationRequest.newBuilder()
                .setWorkspace(visit.workspace())
                .setOperation(key.getOperation())
                .setRequestId(key.getRequestId())
                .setAccount(key.getAccount())
                .setAccountChanging(key.getAccountChanging())
                .build())
        .getOperation();
  }

  private static List<Verb> verbs(Visit visit, Operation operation) {
    return Arrays.stream(ResolveVerb.values())
        .filter(verb -> verb.isFor(operation.getState()) && visit.may(ConsolePermission.OPERATE))
        .map(
            verb ->
                new Verb(
                    verb.title(),
                    OperationAddress.href(
                        visit.workspace(), verb.word(), OperationAddress.key(operation))))
        .toList();
  }
}
