package dev.hapax.application.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.StepStatus;
import dev.hapax.domain.run.TaskGrant;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Derives the steps of a run and their parts from its events. They are in the order in which the
 * run reached them, so that later events do not shift the pages.
 */
final class StepHistory {
  private final Run run;
  private final int from;
  private final int to;
  private final List<StepView> steps = new ArrayList<>();

  /** The places of the current step's parts. */
  private final Map<String, Integer> parts = new HashMap<>();

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
              done.skipped() ? StepStatus.SKIPPED : StepStatus.COMPLETED,
              done.output(),
              Optional.empty(),
              event.at());
      case RunChange.StepFailed(var failure) -> {
        reached(event);
        ended(StepStatus.FAILED, Optional.empty(), Optional.of(failure), event.at());
      }
      case RunChange.RetryScheduled _, RunChange.LeaseLost _ ->
          change(
              step ->
                  step.ended(
                      StepStatus.RUNNING,
                      Optional.empty(),
                      event.change().findFailure(),
                      Optional.empty()));
      case RunChange.StepSuspended _ -> changedTo(StepStatus.WAITING);
      case RunChange.StepResumed _, RunChange.Retried _ -> changedTo(StepStatus.RUNNING);
      case RunChange.LeaseGivenBack(_, var reason) -> change(step -> step.released(reason));
      case RunChange.OfPart part -> changed(event, part);
      case RunChange.StepSettled settled -> settled(event, settled);
      case RunChange.RunCancelled _ -> cancelled(event.at());
      case RunChange.Created _,
          RunChange.SignalReceived _,
          RunChange.Paused _,
          RunChange.Resumed _,
          RunChange.RunCompleted _,
          RunChange.RunFailed _,
          RunChange.HookCreated _,
          RunChange.HookDisposed _,
          RunChange.Superseded _,
          RunChange.Blocked _,
          RunChange.Admitted _ -> {}
    }
  }

  private void started(RunEvent event, Optional<String> worker) {
    reached(event);
    change(step -> step.begun(event.attempt(), event.at(), worker));
  }

  /** Makes the step of the event the current one; a deadline may fail it before it starts. */
  private void reached(RunEvent event) {
    if (current < 0 || steps.get(current).index() != event.step()) {
      current = steps.size();
      parts.clear();
      steps.add(
          StepView.pending(
              event.step(), run.definition().step(event.step()).name(), StepStatus.RUNNING));
    }
  }

  private void changed(RunEvent event, RunChange.OfPart change) {
    var place = place(event, change.name());
    var before = steps.get(place);
    var worker = Optional.of(event.actor().name());
    steps.set(
        place,
        switch (change) {
          case RunChange.PartBegun(_, var attempt) -> before.begun(attempt, event.at(), worker);
          case RunChange.PartFailed(_, var attempt, var failure, var retryAt) ->
              before.failed(attempt, failure, retryAt, event.at());
          case RunChange.StepRecorded recorded ->
              kept(
                  place,
                  before
                      .begun(
                          Math.max(1, before.attempt()),
                          event.at().minus(recorded.elapsed().orElse(Duration.ZERO)),
                          worker)
                      .ended(
                          StepStatus.COMPLETED,
                          Optional.of(recorded.output()),
                          Optional.empty(),
                          Optional.of(event.at())));
        });
  }

  /** The place of a part: behind its step, in the order of the first events about parts. */
  private int place(RunEvent event, String part) {
    return parts.computeIfAbsent(
        part,
        name -> {
          steps.add(StepView.part(event.step(), name));
          return steps.size() - 1;
        });
  }

  private void settled(RunEvent event, RunChange.StepSettled settled) {
    var place = settled.part().map(name -> place(event, name)).orElse(current);
    var before = steps.get(place);
    var at = Optional.of(event.at());
    steps.set(
        place,
        switch (settled.verdict()) {
          case RunChange.Verdict.Complete(var output, _) ->
              kept(place, before.ended(StepStatus.COMPLETED, output, Optional.empty(), at));
          case RunChange.Verdict.Skip _ ->
              before.ended(StepStatus.SKIPPED, Optional.empty(), Optional.empty(), at);
          case RunChange.Verdict.Fail(var failure) ->
              before.ended(StepStatus.FAILED, Optional.empty(), Optional.of(failure), at);
          case RunChange.Verdict.Repeat _ -> before.repeated(event.at());
        });
    if (settled.part().isPresent() && run.definition().hasStep(event.step())) {
      changedTo(StepStatus.RUNNING);
    }
  }

  private StepView kept(int place, StepView view) {
    return place >= from && place < to ? view : view.withoutOutput();
  }

  private void changedTo(StepStatus status) {
    change(step -> step.ended(status, Optional.empty(), Optional.empty(), Optional.empty()));
  }

  private void ended(
      StepStatus status, Optional<Payload> output, Optional<Failure> failure, Instant at) {
    change(step -> step.ended(status, output, failure, Optional.of(at)));
  }

  /** Cancels the current step; steps that were not reached stay pending. */
  private void cancelled(Instant at) {
    if (current >= 0 && steps.get(current).endedAt().isEmpty()) {
      ended(StepStatus.CANCELLED, Optional.empty(), steps.get(current).failure(), at);
    }
  }

  private void change(UnaryOperator<StepView> change) {
    steps.set(current, kept(current, change.apply(steps.get(current))));
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
    return StepView.pending(
        index,
        run.definition().step(index).name(),
        run.hasEnded() && index == run.position().step()
            ? StepStatus.CANCELLED
            : StepStatus.PENDING);
  }
}
