package dev.hapax.application.run;

import dev.hapax.application.run.Explanation.Reason;
import dev.hapax.domain.Failure;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.ReleaseTask;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.StepStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Explains in sentences why a run does not progress.
 *
 * @param last the current step, according to the history
 * @param parts of the current step that have begun or failed, and have not ended
 * @param polled whether a worker on this node waits for tasks of a queue
 */
record RunExplainer(
    Run run, Optional<StepView> last, List<StepView> parts, Instant now, Predicate<String> polled) {
  private static final int PARTS_NAMED = 5;
  private static final String SETTLE =
      "Search the system that it called, then settle it (SettleStep).";

  Explanation explanation() {
    var cause = cause(run.phase());
    var sentences = new ArrayList<String>();
    sentences.add(cause.sentence());
    run.tokens()
        .supersededBy()
        .filter(_ -> run.tokens().keyLost())
        .map(RunId::text)
        .map("A corrected start took its idempotency key: %s runs in its place."::formatted)
        .ifPresent(sentences::add);
    last.flatMap(StepView::failure)
        .filter(_ -> !run.hasEnded() && !isInDoubt())
        .map(this::lastFailure)
        .ifPresent(sentences::add);
    if (!run.hasEnded()) {
      deadline().ifPresent(sentences::add);
      parts.stream().limit(PARTS_NAMED).map(RunExplainer::part).forEach(sentences::add);
    }
    return new Explanation(cause.reason(), List.copyOf(sentences));
  }

  private Optional<String> deadline() {
    var deadlines = run.deadlines();
    return deadlines
        .start()
        .map("If its first step has not started by %s, it fails (NOT_STARTED_IN_TIME)."::formatted)
        .or(
            () ->
                deadlines
                    .end()
                    .map("If it has not ended by %s, it fails (RUN_TIMEOUT)."::formatted));
  }

  /** An expired lease then left a doubt, and no failed attempt. */
  private boolean isInDoubt() {
    return run.held().isEmpty() && run.lastHeld().isPresent();
  }

  private record Cause(Reason reason, String sentence) {}

  private Cause cause(Phase phase) {
    return switch (phase) {
      case Phase.Completed(var at) ->
          new Cause(Reason.ENDED, "The run ended: COMPLETED at %s.".formatted(at));
      case Phase.Cancelled(var at, var reason) ->
          new Cause(
              Reason.ENDED,
              "The run ended: CANCELLED at %s%s."
                  .formatted(at, reason.isEmpty() ? "" : " (%s)".formatted(reason)));
      case Phase.Failed failed -> failed(failed);
      case Phase.Paused(var behind) ->
          new Cause(
              Reason.PAUSED,
              "It is paused; no step begins until ResumeRun. Without the pause: "
                  + cause(behind).sentence());
      case Phase.Waiting waiting -> waiting(waiting);
      case Phase.Held held -> held(held);
      case Phase.InDoubt(var lost) -> inDoubt(lost);
      case Phase.Ready ready -> ready(ready);
      case Phase.Blocked blocked when run.stepTurn().isPresent() ->
          new Cause(
              Reason.LIMIT,
              "It has waited at a limit of %s since %s.".formatted(step(), blocked.since()));
      case Phase.Blocked blocked when run.definitionTurn().isPresent() ->
          new Cause(
              Reason.LIMIT,
              "It has waited at a limit of its definition since %s.".formatted(blocked.since()));
      case Phase.Blocked blocked ->
          new Cause(
              Reason.TURN,
              "It has waited for its turn since %s; it owns none of its tokens meanwhile."
                  .formatted(blocked.since()));
      case Phase.Finishing _ ->
          new Cause(Reason.QUEUED, "All its steps are done; it is about to end.");
    };
  }

  private Cause failed(Phase.Failed failed) {
    var part = failed.failure().part();
    var where = part.isEmpty() ? step() : "part \"%s\" of %s".formatted(part, step());
    if (run.tokens().keyLost()) {
      return new Cause(
          Reason.ENDED,
          "The run ended: FAILED at %s in %s with %s."
              .formatted(failed.at(), where, text(failed.failure())));
    }
    return failed.isInDoubt()
        ? new Cause(
            Reason.UNKNOWN_EFFECT,
            "The run ended: FAILED at %s. It is unknown whether %s took effect. %s"
                .formatted(failed.at(), where, SETTLE))
        : new Cause(
            Reason.FAILED,
            "The run ended: FAILED at %s in %s with %s. A retry continues it."
                .formatted(failed.at(), where, text(failed.failure())));
  }

  private static String part(StepView part) {
    return part.failure().isEmpty()
        ? String.format(
            Locale.ROOT,
            "Part \"%s\" has begun attempt %d, and its effect is not recorded.",
            part.name(),
            part.attempt())
        : String.format(
            Locale.ROOT,
            "Part \"%s\" failed in attempt %d with %s%s.",
            part.name(),
            part.attempt(),
            text(part.failure().get()),
            part.dueAt().map(due -> "; the next attempt is due at " + due).orElse(""));
  }

  private String step() {
    return run.step().map(step -> "step \"%s\"".formatted(step.name())).orElse("the end");
  }

  private Cause waiting(Phase.Waiting waiting) {
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
                new Cause(
                    Reason.SIGNAL,
                    "It waits for %s in %s%s%s."
                        .formatted(
                            awaited(filter),
                            step(),
                            since,
                            until.map(text -> ", " + text + " at most").orElse(""))))
        .orElseGet(
            () ->
                new Cause(
                    Reason.TIMER,
                    "It waits %s in %s%s.".formatted(until.orElse("forever"), step(), since)));
  }

  private static String awaited(SignalFilter filter) {
    return switch (filter) {
      case SignalFilter.Any() -> "any signal";
      case SignalFilter.OfType(var type) -> "signal \"%s\"".formatted(type);
      case SignalFilter.OfHookName(var name, var type) ->
          "%s to its hook \"%s\""
              .formatted(type.map("signal \"%s\""::formatted).orElse("a signal"), name);
      case SignalFilter.OfHook(var hook) -> "a signal to its hook %s".formatted(hook.text());
    };
  }

  private Cause held(Phase.Held held) {
    var over = !now.isBefore(held.leaseUntil());
    var sentence =
        over
            ? "Worker \"%s\" held %s until its lease expired at %s; it is about to be offered again."
            : "Worker \"%s\" executes %s; its lease expires at %s unless the worker renews it%s.";
    return new Cause(
        over ? Reason.LEASE_OVER : Reason.WORKING,
        sentence.formatted(
            held.grant().worker(),
            step(),
            held.leaseUntil(),
            held.attemptUntil().map(", and its attempt at %s"::formatted).orElse("")));
  }

  private Cause inDoubt(Phase.Held lost) {
    return new Cause(
        Reason.UNKNOWN_EFFECT,
        "Worker \"%s\" held %s until its lease expired at %s. The step runs at most once, so no other worker gets it. The worker may still complete it. It is unknown whether it took effect. %s"
            .formatted(lost.grant().worker(), step(), lost.leaseUntil(), SETTLE));
  }

  private Cause ready(Phase.Ready ready) {
    var released = last.flatMap(StepView::released);
    if (released.isPresent()) {
      return released(ready, released.get());
    }
    if (now.isBefore(ready.due())) {
      return run.startedAt().isEmpty()
          ? new Cause(Reason.START_AT, "It begins at %s.".formatted(ready.due()))
          : new Cause(
              Reason.RETRY_AT,
              String.format(
                  Locale.ROOT,
                  "Attempt %d at %s begins at %s.",
                  ready.attempt(),
                  step(),
                  ready.due()));
    }
    if (run.needsTurn(now)) {
      return new Cause(
          Reason.LIMIT,
          "It is about to reach the limit of %s."
              .formatted(run.needsDefinitionTurn() ? "its definition" : step()));
    }
    var queue = run.queue().orElse("");
    return polled.test(queue)
        ? new Cause(
            Reason.QUEUED,
            "%s is in queue \"%s\" behind others, since %s.".formatted(step(), queue, ready.due()))
        : new Cause(
            Reason.NO_WORKER,
            "No worker polls queue \"%s\" on this server; %s has been in it since %s."
                .formatted(queue, step(), ready.due()));
  }

  private Cause released(Phase.Ready ready, Failure reason) {
    return new Cause(
        reason.code().equals(ReleaseTask.CODE_CHANGED) ? Reason.CODE_CHANGED : Reason.RETRY_AT,
        "Worker \"%s\" released %s: %s. It is offered to workers from %s on."
            .formatted(
                last.flatMap(StepView::worker).orElse(""), step(), text(reason), ready.due()));
  }

  private String lastFailure(Failure failure) {
    var allowed = run.position().allowed();
    return String.format(
        Locale.ROOT,
        "Attempt %d%s failed: %s.",
        run.position().attempt(),
        allowed == Integer.MAX_VALUE ? "" : " of " + allowed,
        text(failure));
  }

  private static String text(Failure failure) {
    if (failure.message().isEmpty()) {
      return failure.code().isEmpty() ? "no reason given" : failure.code();
    }
    return failure.code().isEmpty()
        ? failure.message()
        : "%s (%s)".formatted(failure.code(), failure.message());
  }
}
