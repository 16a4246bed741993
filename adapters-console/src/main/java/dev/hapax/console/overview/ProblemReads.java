package dev.hapax.console.overview;

import dev.hapax.console.view.Moment;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.ListJanitorsRequest;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.QueueState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds what is stuck in a workspace, beside failed runs. */
record ProblemReads(Visit visit) {
  private static final int MOST = 20;

  /** A task that waits longer, although there are workers, is late. */
  private static final Duration LATE = Duration.ofMinutes(1);

  List<Problem> read(List<QueueState> queues) {
    return Stream.of(
            queues.stream().flatMap(queue -> queue(queue).stream()),
            janitors(),
            operations(),
            new ExpiredLeases(visit).read())
        .flatMap(problems -> problems)
        .toList();
  }

  private Optional<Problem> queue(QueueState queue) {
    if (queue.getReady() == 0 || !queue.hasOldestReadyAt()) {
      return Optional.empty();
    }
    var since = Moment.of(queue.getOldestReadyAt(), visit.now());
    var tasks = queue.getReady() == 1 ? "1 task waits" : queue.getReady() + " tasks wait";
    if (queue.getPollsWaiting() == 0 && queue.getHeld() == 0) {
      return Optional.of(
          new Problem(
              "queue " + queue.getQueue(),
              tasks + ", and no worker polls this server for them or holds one",
              Optional.of(since),
              "Start a worker that polls this queue."));
    }
    return since.at().isBefore(visit.now().minus(LATE))
        ? Optional.of(
            new Problem(
                "queue " + queue.getQueue(),
                tasks + ", and workers hold " + queue.getHeld(),
                Optional.of(since),
                "Start more workers, or look at what the workers do."))
        : Optional.empty();
  }

  private Stream<Problem> janitors() {
    var request =
        ListJanitorsRequest.newBuilder().setWorkspace(visit.workspace()).setPageSize(MOST).build();
    return visit.api().janitors().listJanitors(request).getJanitorsList().stream()
        .filter(Janitor::getOverdue)
        .map(
            janitor ->
                new Problem(
                    "janitor " + janitor.getModule(),
                    janitor.hasContract()
                        ? "no sweep has completed in time"
                        : "lifecycles need it, and none is declared",
                    Moment.optional(janitor.hasLastSweep(), janitor.getLastSweep(), visit.now()),
                    "Entities of its module whose holder has died stay claimed."));
  }

  private Stream<Problem> operations() {
    var request =
        ListOperationsRequest.newBuilder()
            .setWorkspace(visit.workspace())
            .addStates(OperationState.OPERATION_STATE_INDETERMINATE)
            .setPageSize(MOST)
            .build();
    return visit.api().operations().listOperations(request).getOperationsList().stream()
        .map(this::operation);
  }

  private Problem operation(Operation operation) {
    return new Problem(
        "operation " + operation.getOperation() + " " + operation.getRequestId(),
        "it is unknown whether it took effect",
        Optional.of(Moment.of(operation.getEndedAt(), visit.now())),
        "Find out, and resolve it.");
  }
}
