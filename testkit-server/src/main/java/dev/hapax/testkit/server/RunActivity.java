package dev.hapax.testkit.server;

import dev.hapax.application.run.Explanation;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.TaskClaim;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds the runs with pending work, and the time of the next due run. */
final class RunActivity {
  private final Services services;
  private final InstantSource clock;

  RunActivity(Services services, InstantSource clock) {
    this.services = services;
    this.clock = clock;
  }

  /** Lists the work that is pending at the current time. */
  List<PendingWork> pending() {
    var now = clock.instant();
    return services.stored().flatMap(run -> work(run, now).stream()).toList();
  }

  private Optional<PendingWork> work(Run run, Instant now) {
    var isDue = run.due().filter(due -> !now.isBefore(due)).isPresent();
    if (!isDue) {
      return run.held()
          .flatMap(
              held -> run.claim().map(claim -> new PendingWork.Held(claim, held.grant().worker())));
    }
    return Optional.of(
        run.queue()
            .<PendingWork>map(
                queue -> new PendingWork.Offered(run.id(), queue(run, queue), isPolled(run)))
            .orElseGet(() -> new PendingWork.Undecided(run.id())));
  }

  private static RunReads.Queue queue(Run run, String name) {
    return new RunReads.Queue(run.id().workspace(), name);
  }

  private boolean isPolled(Run run) {
    return services.runs().explain(run).join().reason() != Explanation.Reason.NO_WORKER;
  }

  /** Returns the claims that workers hold now. */
  Set<TaskClaim> held() {
    return services.stored().flatMap(run -> run.claim().stream()).collect(Collectors.toSet());
  }

  /** Returns when the next run is due after this time. */
  Optional<Instant> nextDue(Instant now) {
    return services
        .stored()
        .flatMap(run -> run.due().stream())
        .filter(now::isBefore)
        .min(Instant::compareTo);
  }
}
