package dev.hapax.application.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.StepStatus;
import dev.hapax.domain.run.TaskGrant;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Derives the steps of a run from its events. Steps are in the order in which the run reached them,
 * so that later events do not shift the pages.
 */
final class StepHistory {
  private final Run run;
  private final int from;
  private final int to;
  private final List<StepView> steps = new ArrayList<>();
  private int current = -1;

  /** Keeps only the outputs of the steps at these positions. */
  StepHistory(Run run, int from, int size) {
    this.run = run;
    this.from = from;
    this.to = Math.max(from, from + size);
  }

  void add(RunEvent event) {
    switch (event.change()) {
      case RunChange.StepStarted(var grant) -> started(event, grant.map(TaskGrant::worker));
      case RunChange.StepCompleted done ->
          ended(
              event.at(),
              done.skipped() ? StepStatus.SKIPPED : StepStatus.COMPLETED,
              done.output(),
              Optional.empty());
      case RunChange.StepFailed(var failure) ->
          ended(event.at(), StepStatus.FAILED, Optional.empty(), Optional.of(failure));
      case RunChange.RetryScheduled _, RunChange.LeaseLost _ ->
          change(
              StepStatus.RUNNING, Optional.empty(), event.change().findFailure(), Optional.empty());
      case RunChange.StepSuspended _ -> changedTo(StepStatus.WAITING);
      case RunChange.StepResumed _, RunChange.Retried _ -> changedTo(StepStatus.RUNNING);
      case RunChange.StepRecorded(var name, var output, _) -> recorded(event, name, output);
      case RunChange.RunCancelled _ -> cancelled(event.at());
      case RunChange.Created _,
          RunChange.LeaseGivenBack _,
          RunChange.SignalReceived _,
          RunChange.Paused _,
          RunChange.Resumed _,
          RunChange.RunCompleted _,
          RunChange.RunFailed _,
          RunChange.HookCreated _,
          RunChange.HookDisposed _,
          RunChange.Superseded _ -> {}
    }
  }

  private void started(RunEvent event, Optional<String> worker) {
    if (current < 0 || steps.get(current).index() != event.step()) {
      current = steps.size();
      steps.add(view(event, run.definition().step(event.step()).name(), worker));
    } else {
      var before = steps.get(current);
      steps.set(
          current,
          new StepView(
              before.index(),
              before.name(),
              false,
              StepStatus.RUNNING,
              event.attempt(),
              before.output(),
              before.failure(),
              before.startedAt(),
              Optional.empty(),
              worker));
    }
  }

  private static StepView view(RunEvent event, String name, Optional<String> worker) {
    return new StepView(
        event.step(),
        name,
        false,
        StepStatus.RUNNING,
        event.attempt(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(event.at()),
        Optional.empty(),
        worker);
  }

  private void recorded(RunEvent event, String name, Payload output) {
    var view =
        new StepView(
            event.step(),
            name,
            true,
            StepStatus.COMPLETED,
            event.attempt(),
            Optional.of(output),
            Optional.empty(),
            Optional.of(event.at()),
            Optional.of(event.at()),
            Optional.of(event.actor().name()));
    steps.add(kept(steps.size(), view));
  }

  private StepView kept(int place, StepView view) {
    return place >= from && place < to ? view : view.withoutOutput();
  }

  private void changedTo(StepStatus status) {
    change(status, Optional.empty(), Optional.empty(), Optional.empty());
  }

  private void ended(
      Instant at, StepStatus status, Optional<Payload> output, Optional<Failure> failure) {
    change(status, output, failure, Optional.of(at));
  }

  /** Cancels the current step; steps that were not reached stay pending. */
  private void cancelled(Instant at) {
    if (current >= 0 && steps.get(current).endedAt().isEmpty()) {
      ended(at, StepStatus.CANCELLED, Optional.empty(), steps.get(current).failure());
    }
  }

  private void change(
      StepStatus status,
      Optional<Payload> output,
      Optional<Failure> failure,
      Optional<Instant> endedAt) {
    var before = steps.get(current);
    steps.set(
        current,
        kept(
            current,
            new StepView(
                before.index(),
                before.name(),
                false,
                status,
                before.attempt(),
                output,
                failure,
                before.startedAt(),
                endedAt,
                before.worker())));
  }

  /** The requested page; reached steps come first, then pending ones. */
  List<StepView> page() {
    var all = new ArrayList<>(steps);
    var next = current < 0 ? 0 : steps.get(current).index() + 1;
    for (var index = next; run.definition().hasStep(index); index++) {
      all.add(pending(index));
    }
    return List.copyOf(all.subList(Math.min(from, all.size()), Math.min(to, all.size())));
  }

  private StepView pending(int index) {
    return new StepView(
        index,
        run.definition().step(index).name(),
        false,
        run.hasEnded() && index == run.position().step()
            ? StepStatus.CANCELLED
            : StepStatus.PENDING,
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }
}
