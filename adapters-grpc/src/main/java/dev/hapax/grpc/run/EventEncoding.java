package dev.hapax.grpc.run;

import dev.hapax.domain.HookFingerprint;
import dev.hapax.domain.run.PartId;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunOrigin;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.TaskGrant;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.v1.RunEvent.Admitted;
import dev.hapax.v1.RunEvent.Blocked;
import dev.hapax.v1.RunEvent.Cancelled;
import dev.hapax.v1.RunEvent.Completed;
import dev.hapax.v1.RunEvent.Created;
import dev.hapax.v1.RunEvent.Failed;
import dev.hapax.v1.RunEvent.HookCreated;
import dev.hapax.v1.RunEvent.HookDisposed;
import dev.hapax.v1.RunEvent.LeaseGivenBack;
import dev.hapax.v1.RunEvent.LeaseLost;
import dev.hapax.v1.RunEvent.Paused;
import dev.hapax.v1.RunEvent.Resumed;
import dev.hapax.v1.RunEvent.Retried;
import dev.hapax.v1.RunEvent.RetryScheduled;
import dev.hapax.v1.RunEvent.SignalReceived;
import dev.hapax.v1.RunEvent.StepCompleted;
import dev.hapax.v1.RunEvent.StepFailed;
import dev.hapax.v1.RunEvent.StepResumed;
import dev.hapax.v1.RunEvent.StepSkipped;
import dev.hapax.v1.RunEvent.StepStarted;
import dev.hapax.v1.RunEvent.StepSuspended;
import dev.hapax.v1.RunEvent.Superseded;
import dev.hapax.v1.RunEventType;
import java.util.Optional;

/**
 * Encodes the events of a run.
 *
 * @param run at least as new as the events
 */
record EventEncoding(Run run) {

  dev.hapax.v1.RunEvent event(RunEvent event) {
    var message =
        dev.hapax.v1.RunEvent.newBuilder()
            .setVersion(event.version())
            .setAt(Durations.encode(event.at()))
            .setActor(event.actor().name())
            .setPrincipal(event.actor().principal().text());
    if (isAboutAStep(event.change())) {
      message
          .setStepName(run.definition().step(event.step()).name())
          .setAttempt(event.attempt())
          .setStepId(run.id().step(event.step()));
    }
    describe(event, message);
    return message.build();
  }

  private static boolean isAboutAStep(RunChange change) {
    return switch (change) {
      case RunChange.StepStarted _,
          RunChange.StepCompleted _,
          RunChange.StepFailed _,
          RunChange.StepSuspended _,
          RunChange.StepResumed _,
          RunChange.RetryScheduled _,
          RunChange.LeaseLost _,
          RunChange.LeaseGivenBack _,
          RunChange.OfPart _,
          RunChange.StepSettled _ ->
          true;
      case RunChange.Created _,
          RunChange.SignalReceived _,
          RunChange.Paused _,
          RunChange.Resumed _,
          RunChange.Retried _,
          RunChange.RunCompleted _,
          RunChange.RunFailed _,
          RunChange.RunCancelled _,
          RunChange.HookCreated _,
          RunChange.HookDisposed _,
          RunChange.Superseded _,
          RunChange.Blocked _,
          RunChange.Admitted _ ->
          false;
    };
  }

  private void describe(RunEvent event, dev.hapax.v1.RunEvent.Builder to) {
    switch (event.change()) {
      case RunChange.Created(var origin) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_CREATED).setCreated(created(origin));
      case RunChange.StepStarted(var grant) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_STEP_STARTED).setStepStarted(started(grant));
      case RunChange.StepCompleted done when done.skipped() ->
          to.setType(RunEventType.RUN_EVENT_TYPE_STEP_SKIPPED).setStepSkipped(skipped(done));
      case RunChange.StepCompleted done ->
          to.setType(RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED).setStepCompleted(completed(done));
      case RunChange.StepFailed(var failure) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_STEP_FAILED)
              .setStepFailed(StepFailed.newBuilder().setFailure(Payloads.encode(failure)));
      case RunChange.StepSuspended suspended ->
          to.setType(RunEventType.RUN_EVENT_TYPE_STEP_SUSPENDED)
              .setStepSuspended(suspended(suspended));
      case RunChange.StepResumed(var signalId) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_STEP_RESUMED)
              .setStepResumed(StepResumed.newBuilder().setSignalId(signalId.orElse("")));
      case RunChange.RetryScheduled(var failure, var due) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_RETRY_SCHEDULED)
              .setRetryScheduled(
                  RetryScheduled.newBuilder()
                      .setFailure(Payloads.encode(failure))
                      .setRetryAt(Durations.encode(due)));
      case RunChange.LeaseLost lost ->
          to.setType(RunEventType.RUN_EVENT_TYPE_LEASE_LOST).setLeaseLost(lost(lost));
      case RunChange.LeaseGivenBack released ->
          to.setType(RunEventType.RUN_EVENT_TYPE_LEASE_GIVEN_BACK)
              .setLeaseGivenBack(leaseReleased(released));
      case RunChange.StepRecorded recorded ->
          ofPart(event, recorded, to)
              .setType(RunEventType.RUN_EVENT_TYPE_STEP_RECORDED)
              .setStepRecorded(PartEncoding.recorded(recorded));
      case RunChange.PartBegun begun ->
          ofPart(event, begun, to)
              .setType(RunEventType.RUN_EVENT_TYPE_PART_BEGUN)
              .setPartBegun(
                  dev.hapax.v1.RunEvent.PartBegun.newBuilder()
                      .setName(begun.name())
                      .setAttempt(begun.attempt()));
      case RunChange.PartFailed failed ->
          ofPart(event, failed, to)
              .setType(RunEventType.RUN_EVENT_TYPE_PART_FAILED)
              .setPartFailed(PartEncoding.failed(failed));
      case RunChange.StepSettled settled ->
          to.setType(RunEventType.RUN_EVENT_TYPE_STEP_SETTLED)
              .setStepSettled(
                  PartEncoding.settled(run.definition().step(event.step()).name(), settled));
      case RunChange.SignalReceived(var id, var type, var hook, var payload) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED)
              .setSignalReceived(
                  SignalReceived.newBuilder()
                      .setSignal(
                          RunSignals.encode(
                              new RunReads.Received(id, type, hook, payload, event.at()))));
      case RunChange.Paused(var reason) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_PAUSED)
              .setPaused(Paused.newBuilder().setReason(reason));
      case RunChange.Resumed(var reason) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_RESUMED)
              .setResumed(Resumed.newBuilder().setReason(reason));
      case RunChange.Retried(_, var reason) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_RETRIED)
              .setRetried(Retried.newBuilder().setReason(reason));
      case RunChange.RunCompleted _ ->
          to.setType(RunEventType.RUN_EVENT_TYPE_COMPLETED).setCompleted(completed());
      case RunChange.RunFailed(var failure) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_FAILED)
              .setFailed(Failed.newBuilder().setFailure(Payloads.encode(failure)));
      case RunChange.RunCancelled(var reason, var by) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_CANCELLED)
              .setCancelled(
                  Cancelled.newBuilder()
                      .setReason(reason)
                      .setSupersededBy(by.map(RunId::text).orElse("")));
      case RunChange.HookCreated(var hook, var name, var retention, var from) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_HOOK_CREATED)
              .setHookCreated(
                  HookCreated.newBuilder()
                      .setFingerprint(HookFingerprint.of(hook).text())
                      .setName(name)
                      .setRetention(Durations.encode(retention))
                      .setSupersedes(from.map(RunId::text).orElse("")));
      case RunChange.HookDisposed(var hook, var reason) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_HOOK_DISPOSED)
              .setHookDisposed(
                  HookDisposed.newBuilder()
                      .setFingerprint(HookFingerprint.of(hook).text())
                      .setReason(reason));
      case RunChange.Superseded(var by, var byKey) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_SUPERSEDED)
              .setSuperseded(Superseded.newBuilder().setSupersededBy(by.text()).setByKey(byKey));
      case RunChange.Blocked blocked ->
          to.setType(RunEventType.RUN_EVENT_TYPE_BLOCKED).setBlocked(blocked(blocked));
      case RunChange.Admitted(var turn, var waited) ->
          to.setType(RunEventType.RUN_EVENT_TYPE_ADMITTED)
              .setAdmitted(Admitted.newBuilder().setTurn(turn).setWaited(Durations.encode(waited)));
    }
  }

  private static Blocked.Builder blocked(RunChange.Blocked blocked) {
    return Blocked.newBuilder()
        .setTurn(blocked.turn())
        .addAllFingerprints(
            blocked.tokens().stream()
                .map(token -> HookFingerprint.of(token.hash()).text())
                .toList())
        .setLimit(blocked.limit().map(RunChange.FullLimit::name).orElse(""))
        .setLimitKey(blocked.limit().map(RunChange.FullLimit::key).orElse(""))
        .setRate(blocked.limit().filter(RunChange.FullLimit::isRate).isPresent())
        .setOfDefinition(blocked.limit().filter(RunChange.FullLimit::ofDefinition).isPresent());
  }

  private Created created(RunOrigin origin) {
    var created =
        Created.newBuilder()
            .setDefinition(run.definition().id().name())
            .setDefinitionVersion(run.definition().id().version())
            .setInput(Payloads.encode(origin.input()))
            .putAllLabels(origin.labels());
    if (origin.notBefore().isAfter(origin.createdAt())) {
      created.setStartAt(Durations.encode(origin.notBefore()));
    }
    var timeouts = origin.parameters().timeouts();
    timeouts
        .end()
        .map(origin.notBefore()::plus)
        .map(Durations::encode)
        .ifPresent(created::setDeadline);
    timeouts
        .start()
        .map(origin.notBefore()::plus)
        .map(Durations::encode)
        .ifPresent(created::setStartDeadline);
    return created.build();
  }

  private static StepStarted started(Optional<TaskGrant> grant) {
    return StepStarted.newBuilder()
        .setFence(grant.map(given -> given.fence().value()).orElse(0L))
        .build();
  }

  private static StepCompleted completed(RunChange.StepCompleted done) {
    var message = StepCompleted.newBuilder().addAllConsumedSignalIds(done.consumed());
    done.output().map(Payloads::encode).ifPresent(message::setOutput);
    done.patch().map(Payloads::encode).ifPresent(message::setStatePatch);
    return message.build();
  }

  private static StepSkipped skipped(RunChange.StepCompleted done) {
    var message = StepSkipped.newBuilder().addAllConsumedSignalIds(done.consumed());
    done.output().map(Payloads::encode).ifPresent(message::setOutput);
    done.patch().map(Payloads::encode).ifPresent(message::setStatePatch);
    return message.build();
  }

  private static StepSuspended suspended(RunChange.StepSuspended suspended) {
    var message = StepSuspended.newBuilder();
    suspended.until().map(Durations::encode).ifPresent(message::setUntil);
    suspended.signal().map(SignalFilters::encode).ifPresent(message::setSignalFilter);
    suspended.patch().map(Payloads::encode).ifPresent(message::setStatePatch);
    return message.build();
  }

  private static LeaseLost lost(RunChange.LeaseLost lost) {
    var message = LeaseLost.newBuilder().setHeld(lost.held());
    lost.findFailure().map(Payloads::encode).ifPresent(message::setFailure);
    return message.build();
  }

  private static LeaseGivenBack leaseReleased(RunChange.LeaseGivenBack released) {
    var message = LeaseGivenBack.newBuilder();
    released.due().map(Durations::encode).ifPresent(message::setRetryAt);
    released.reason().map(Payloads::encode).ifPresent(message::setReason);
    return message.build();
  }

  /** Adds the id of the part. */
  private dev.hapax.v1.RunEvent.Builder ofPart(
      RunEvent event, RunChange.OfPart change, dev.hapax.v1.RunEvent.Builder to) {
    return to.setStepId(new PartId(run.id(), event.step(), change.name()).text());
  }

  private Completed completed() {
    var message = Completed.newBuilder();
    run.output().map(Payloads::encode).ifPresent(message::setOutput);
    return message.build();
  }
}
