package dev.hapax.console.find;

import dev.hapax.console.find.FindView.Match;
import dev.hapax.console.operation.OperationAddress;
import dev.hapax.console.view.Address;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsoleAction;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Fields;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.GetRunRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Finds a run by its id, a run by the token that it owns, an entity and an operation. An id is sent
 * in a form and is in no address: a token permits to signal its owner.
 */
public final class FindPage implements ConsolePage, ConsoleAction {
  private static final String RUN = "run_";

  @Override
  public Reply show(Visit visit) {
    return page(new FindView("", List.of()));
  }

  private static Reply page(FindView view) {
    return Reply.page(Section.OVERVIEW, "Find", "find/find.jte", view);
  }

  @Override
  public Reply perform(Visit visit, Fields form) {
    var id = form.text("id");
    if (id.isEmpty()) {
      return show(visit);
    }
    var matches =
        Stream.of(run(visit, id), owner(visit, id), entity(visit, id), operation(visit, id))
            .flatMap(Optional::stream)
            .toList();
    return matches.size() == 1
        ? new Reply.SeeOther(matches.getFirst().href())
        : page(new FindView(id, matches));
  }

  private static Optional<Match> run(Visit visit, String id) {
    if (!id.startsWith(RUN)) {
      return Optional.empty();
    }
    var request = GetRunRequest.newBuilder().setWorkspace(visit.workspace()).setRunId(id).build();
    return found(() -> visit.api().runs().getRun(request).getRun())
        .map(run -> new Match("The run", Address.ofRun(visit.workspace(), run.getId()).href()));
  }

  private static Optional<Match> owner(Visit visit, String token) {
    var request =
        GetHookRequest.newBuilder().setWorkspace(visit.workspace()).setToken(token).build();
    return found(() -> visit.api().hooks().getHook(request).getHook())
        .map(
            hook ->
                new Match(
                    "The run that owns the token",
                    Address.ofRun(visit.workspace(), hook.getRunId()).href()));
  }

  /** As {@code LIFECYCLE/ENTITY}. */
  private static Optional<Match> entity(Visit visit, String text) {
    var slash = text.indexOf('/');
    if (slash <= 0 || slash == text.length() - 1) {
      return Optional.empty();
    }
    var lifecycle = text.substring(0, slash);
    var id = text.substring(slash + 1);
    var request =
        GetEntityRequest.newBuilder()
            .setWorkspace(visit.workspace())
            .setLifecycle(lifecycle)
            .setEntityId(id)
            .build();
    return found(() -> visit.api().entities().getEntity(request))
        .map(
            _ ->
                new Match("The entity", Address.ofEntity(visit.workspace(), lifecycle, id).href()));
  }

  /** As {@code OPERATION REQUEST_ID}. */
  private static Optional<Match> operation(Visit visit, String text) {
    var words = text.split("\\s+", 2);
    if (words.length < 2) {
      return Optional.empty();
    }
    var request =
        GetOperationRequest.newBuilder()
            .setWorkspace(visit.workspace())
            .setOperation(words[0])
            .setRequestId(words[1])
            .build();
    return found(() -> visit.api().operations().getOperation(request))
        .map(answer -> new Match("The operation", OperationAddress.href(answer.getOperation())));
  }

  /** Calls the API; an id that is unknown, or that cannot be one of this kind, finds nothing. */
  private static <T> Optional<T> found(Supplier<T> call) {
    try {
      return Optional.of(call.get());
    } catch (StatusRuntimeException e) {
      var code = e.getStatus().getCode();
      if (code == Status.Code.NOT_FOUND || code == Status.Code.INVALID_ARGUMENT) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
