package dev.hapax.application.run;

import dev.hapax.application.run.Explanation.Reason;
import dev.hapax.domain.Failure;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.StepStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Puts into words why a run does not move.
 *
 * @param last the current step as the history tells it
 * @param polled whether a worker waits for tasks of a queue on this node
 */
record RunExplainer(Run run, Optional<StepView> last, Instant now, Predicate<String> polled) {

  Explanation explanation() {
    var open = because(run.phase());
    var sentences = new ArrayList<String>();
    sentences.add(open.sentence());
    last.flatMap(StepView::failure)
        .filter(_ -> !run.hasEnded())
        .map(this::lastFailure)
        .ifPresent(sentences::add);
    return new Explanation(open.reason(), List.copyOf(sentences));
  }

  private record Because(Reason reason, String sentence) {}

  private Because because(Phase phase) {
    return switch (phase) {
      case Phase.Completed(var at) ->
          new Because(Reason.ENDED, "It is over: COMPLETED at %s.".formatted(at));
      case Phase.Cancelled(var at, var reason) ->
          new Because(
              Reason.ENDED,
              "It is over: CANCELLED at %s%s."
                  .formatted(at, reason.isEmpty() ? "" : " (%s)".formatted(reason)));
      case Phase.Failed(var at, var failure) ->
          new Because(
              Reason.FAILED,
              "It is over: FAILED at %s with %s. RetryRun lets it go on."
                  .formatted(at, told(failure)));
      case Phase.Paused(var behind) ->
          new Because(
              Reason.PAUSED,
              "It is paused; nothing new begins until ResumeRun. Behind that: "
                  + because(behind).sentence());
      case Phase.Waiting waiting -> waiting(waiting);
      case Phase.Held held -> held(held);
      case Phase.Ready ready -> ready(ready);
      case Phase.Finishing _ -> new Because(Reason.QUEUED, "All its steps are done; it is to end.");
    };
  }

  private String step() {
    return run.step().map(step -> "step \"%s\"".formatted(step.name())).orElse("the end");
  }

  private Because waiting(Phase.Waiting waiting) {
    var since =
        last.filter(step -> step.status() == StepStatus.WAITING)
            .flatMap(StepView::startedAt)
            .map(at -> ", begun at %s".formatted(at))
            .orElse("");
    var until = waiting.until().map(at -> "until %s".formatted(at));
    return waiting
        .signal()
        .map(
            filter ->
                new Because(
                    Reason.SIGNAL,
                    "It waits for %s in %s%s%s."
                        .formatted(
                            awaited(filter),
                            step(),
                            since,
                            until.map(text -> ", " + text + " at most").orElse(""))))
        .orElseGet(
            () ->
                new Because(
                    Reason.TIMER,
                    "It waits %s in %s%s.".formatted(until.orElse("for ever"), step(), since)));
  }

  private static String awaited(SignalFilter filter) {
    return switch (filter) {
      case SignalFilter.Any() -> "any signal";
      case SignalFilter.OfType(var type) -> "signal \"%s\"".formatted(type);
      case SignalFilter.OfHookName(var name) -> "a signal to its hook \"%s\"".formatted(name);
      case SignalFilter.OfHook(var hook) -> "a signal to its hook %s".formatted(hook.text());
    };
  }

  private Because held(Phase.Held held) {
    var over = !now.isBefore(held.leaseUntil());
    var sentence =
        over
            ? "Worker \"%s\" had %s and let its lease end at %s; it is about to be offered again."
            : "Worker \"%s\" is at %s; its lease ends at %s if it is not renewed.";
    return new Because(
        over ? Reason.LEASE_OVER : Reason.WORKING,
        sentence.formatted(held.grant().worker(), step(), held.leaseUntil()));
  }

  private Because ready(Phase.Ready ready) {
    if (now.isBefore(ready.due())) {
      return run.startedAt().isEmpty()
          ? new Because(Reason.START_AT, "It begins at %s.".formatted(ready.due()))
          : new Because(
              Reason.RETRY_AT,
              "Attempt %d at %s begins at %s.".formatted(ready.attempt(), step(), ready.due()));
    }
    var queue = run.queue().orElse("");
    return polled.test(queue)
        ? new Because(
            Reason.QUEUED,
            "%s is in queue \"%s\" behind others, since %s.".formatted(step(), queue, ready.due()))
        : new Because(
            Reason.NO_WORKER,
            "No worker polls queue \"%s\" on this server; %s has been in it since %s."
                .formatted(queue, step(), ready.due()));
  }

  private String lastFailure(Failure failure) {
    return "Attempt %d of %d failed: %s."
        .formatted(run.position().attempt(), run.position().allowed(), told(failure));
  }

  private static String told(Failure failure) {
    if (failure.message().isEmpty()) {
      return failure.code().isEmpty() ? "it names no reason" : failure.code();
    }
    return failure.code().isEmpty()
        ? failure.message()
        : "%s (%s)".formatted(failure.code(), failure.message());
  }
}
