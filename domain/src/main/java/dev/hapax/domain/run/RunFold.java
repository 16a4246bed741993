package dev.hapax.domain.run;

import dev.hapax.domain.definition.StepDefinition;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Applies an event to a run: the only place where runs change. */
record RunFold(Run before, RunEvent event) {

  /** A run that continues after its failure has its whole time again. */
  Run after() {
    var changed = changed();
    var left = endsTurn(changed) ? changed.with(Optional.empty()) : changed;
    var after = left.hasEnded() ? left.withDefinitionTurn(Optional.empty()) : left;
    return before.hasEnded() && !after.hasEnded()
        ? after.with(before.deadlines().reopened(before.origin(), event.at()))
        : after;
  }

  /** A turn lasts as long as the attempt: also while the worker of a paused run holds the step. */
  private boolean endsTurn(Run after) {
    if (before.stepTurn().isEmpty() || !event.change().mayEndTurn()) {
      return false;
    }
    return switch (event.change()) {
      case RunChange.Paused _ -> after.held().isEmpty();
      case RunChange.LeaseGivenBack(var due, _) ->
          due.isPresent() || after.phase() instanceof Phase.Paused;
      default -> true;
    };
  }

  private Run changed() {
    return switch (event.change()) {
      case RunChange.Created _ -> throw new IllegalStateException("a run can be created only once");
      case RunChange.StepStarted(var grant) -> started(grant);
      case RunChange.StepCompleted done -> completed(done);
      case RunChange.StepFailed(var failure) ->
          before.moved(new Phase.Finishing(Optional.of(failure)));
      case RunChange.StepSuspended suspended -> suspended(suspended);
      case RunChange.StepResumed _ ->
          before.moved(ready(before.position().attempt())).with(progressed());
      case RunChange.RetryScheduled(_, var due) ->
          before.moved(new Phase.Ready(due, before.position().attempt() + 1));
      case RunChange.LeaseLost(var held, _) -> leaseLost(held);
      case RunChange.LeaseGivenBack(var due, _) ->
          before.moved(new Phase.Ready(due.orElse(event.at()), before.position().attempt()));
      case RunChange.StepRecorded recorded ->
          before
              .withOneMoreNamed()
              .with(progressed())
              .patched(recorded.patch())
              .with(before.inbox().without(recorded.consumed().size()));
      case RunChange.PartBegun _, RunChange.PartFailed _ -> before.withOneMoreNamed();
      case RunChange.StepSettled(var part, var verdict, _, _) ->
          part.map(name -> partSettled(name, verdict)).orElseGet(() -> stepSettled(verdict));
      case RunChange.SignalReceived _ -> before.with(before.inbox().withOneMore());
      case RunChange.Paused _ -> before.with(new Phase.Paused(withoutPlace(open())));
      case RunChange.Resumed _ -> before.with(unpaused());
      case RunChange.Retried _ -> retried();
      case RunChange.RunCompleted _ -> before.with(new Phase.Completed(event.at()));
      case RunChange.RunFailed(var failure) -> before.with(new Phase.Failed(event.at(), failure));
      case RunChange.RunCancelled(var reason, var by) ->
          before
              .with(new Phase.Cancelled(event.at(), reason))
              .with(
                  by.map(next -> before.tokens().withSuccessor(next, false))
                      .orElse(before.tokens()));
      case RunChange.HookCreated(_, _, var retention, var from) ->
          before.with(before.tokens().withToken(retention, from));
      case RunChange.HookDisposed _ -> before;
      case RunChange.Superseded(var by, var byKey) ->
          before.with(before.tokens().withSuccessor(by, byKey));
      case RunChange.Blocked blocked -> blocked(blocked);
      case RunChange.Admitted _ -> admitted();
    };
  }

  private Phase.Open open() {
    return before.open().orElseThrow(() -> new IllegalStateException("the run has ended"));
  }

  /** A paused run does not wait in line: it goes to the end when it is resumed. */
  private static Phase.Open withoutPlace(Phase.Open open) {
    return open instanceof Phase.Blocked(_, var notBefore, var attempt)
        ? new Phase.Ready(notBefore, attempt)
        : open;
  }

  private Run blocked(RunChange.Blocked blocked) {
    if (!(before.phase() instanceof Phase.Ready(var due, var attempt))) {
      throw new IllegalStateException("only a run that is ready waits for its turn");
    }
    var waiting = before.with(new Phase.Blocked(blocked.turn(), due, attempt));
    return blocked
        .limit()
        .map(
            full -> {
              var turn = Optional.of(new StepTurn(blocked.turn(), full.lines()));
              return full.ofDefinition() ? waiting.withDefinitionTurn(turn) : waiting.with(turn);
            })
        .orElseGet(() -> waiting.with(before.tokens().awaiting(blocked.tokens())));
  }

  private Run admitted() {
    var blocked = before.blocked().orElseThrow();
    return before
        .with(new Phase.Ready(later(blocked.notBefore()), blocked.attempt()))
        .with(before.tokens().admitted());
  }

  private Instant later(Instant due) {
    return due.isBefore(event.at()) ? event.at() : due;
  }

  private Phase.Ready ready(int attempt) {
    return new Phase.Ready(event.at(), attempt);
  }

  private Run started(Optional<TaskGrant> grant) {
    var fence = grant.map(TaskGrant::fence).orElse(before.position().fence());
    Phase.Open next =
        grant.isPresent() ? held(grant.get(), before.work().orElseThrow()) : ready(event.attempt());
    return before
        .moved(next)
        .with(before.position().begun(event.attempt(), fence))
        .with(before.deadlines().started())
        .startedBy(event.at());
  }

  private Phase.Held held(TaskGrant grant, StepDefinition.Work work) {
    var attemptUntil = work.attemptTimeout().map(event.at()::plus);
    return new Phase.Held(grant, event.at().plus(work.lease()), attemptUntil, 1);
  }

  private Run completed(RunChange.StepCompleted done) {
    var position = before.position().next(before.definition());
    Phase.Open next =
        before.definition().hasStep(position.step())
            ? ready(1)
            : new Phase.Finishing(Optional.empty());
    return before
        .moved(next)
        .with(position)
        .startedBy(event.at())
        .withDetails(Optional.empty())
        .patched(done.patch())
        .withOutput(done.skipped() ? before.output() : done.output())
        .with(before.inbox().without(done.consumed().size()));
  }

  private Run leaseLost(boolean held) {
    return before.moved(
        held
            ? new Phase.InDoubt(before.lastHeld().orElseThrow())
            : ready(before.position().attempt() + 1));
  }

  private Run suspended(RunChange.StepSuspended suspended) {
    var inboxUnchecked = suspended.signal().isPresent() && before.inbox().unconsumed() > 0;
    return before
        .moved(new Phase.Waiting(suspended.until(), suspended.signal(), inboxUnchecked))
        .patched(suspended.patch());
  }

  /**
   * A waiting step starts its wait again, with an event of its own. No due time lies in the past,
   * because searches for due runs cover a bounded time window.
   */
  private Phase unpaused() {
    return switch (open()) {
      case Phase.Waiting _ -> ready(before.position().attempt());
      case Phase.Ready(var due, var attempt) -> new Phase.Ready(later(due), attempt);
      case Phase.Blocked blocked -> blocked;
      case Phase.Held held -> held;
      case Phase.InDoubt doubt -> doubt;
      case Phase.Finishing finishing -> finishing;
    };
  }

  /** A run that failed after its last step only has to end. */
  private Run retried() {
    var position = progressed();
    return before
        .with(position)
        .moved(
            before.step().isPresent()
                ? ready(position.attempt() + 1)
                : new Phase.Finishing(Optional.empty()));
  }

  /** The code runs again and finds the part as it is settled, unless another failure ended it. */
  private Run partSettled(String part, RunChange.Verdict verdict) {
    var patched =
        verdict instanceof RunChange.Verdict.Complete(_, var patch)
            ? before.patched(patch)
            : before;
    var after = patched.withOneMoreNamed();
    return before.phase() instanceof Phase.Failed(_, var failure) && !part.equals(failure.part())
        ? after
        : after.with(progressed()).moved(ready(before.position().attempt() + 1));
  }

  private Run stepSettled(RunChange.Verdict verdict) {
    return switch (verdict) {
      case RunChange.Verdict.Complete(var output, var patch) ->
          completed(new RunChange.StepCompleted(output, patch, List.of(), false));
      case RunChange.Verdict.Skip _ ->
          completed(
              new RunChange.StepCompleted(Optional.empty(), Optional.empty(), List.of(), true));
      case RunChange.Verdict.Fail(var failure) ->
          before.hasEnded()
              ? before.with(new Phase.Failed(event.at(), failure))
              : before.moved(new Phase.Finishing(Optional.of(failure)));
      case RunChange.Verdict.Repeat _ -> retried();
    };
  }

  private StepPosition progressed() {
    return before.position().withNewBudget(before.definition());
  }
}
