package dev.hapax.grpc.run;

import dev.hapax.domain.HookFingerprint;
import dev.hapax.domain.run.NamedStepId;
import dev.hapax.domain.run.Origin;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.v1.RunEvent.Details;
import dev.hapax.v1.RunEventType;

/**
 * What the events of a run look like on the wire.
 *
 * @param run not older than the events
 */
record EventEncoding(Run run) {

  dev.hapax.v1.RunEvent event(RunEvent event) {
    var message =
        dev.hapax.v1.RunEvent.newBuilder()
            .setVersion(event.version())
            .setAt(Durations.encode(event.at()))
            .setType(type(event.change()))
            .setActor(event.by().actor());
    var details = Details.newBuilder();
    if (isAboutAStep(event.change())) {
      message.setStepName(run.definition().step(event.step()).name()).setAttempt(event.attempt());
      details.setStepId(run.id().step(event.step()));
    }
    describe(event, details);
    return message.setDetails(details).build();
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
          RunChange.StepRecorded _ ->
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
          RunChange.Superseded _ ->
          false;
    };
  }

  private static RunEventType type(RunChange change) {
    return switch (change) {
      case RunChange.Created _ -> RunEventType.RUN_EVENT_TYPE_CREATED;
      case RunChange.StepStarted _ -> RunEventType.RUN_EVENT_TYPE_STEP_STARTED;
      case RunChange.StepCompleted done ->
          done.skipped()
              ? RunEventType.RUN_EVENT_TYPE_STEP_SKIPPED
              : RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED;
      case RunChange.StepFailed _ -> RunEventType.RUN_EVENT_TYPE_STEP_FAILED;
      case RunChange.StepSuspended _ -> RunEventType.RUN_EVENT_TYPE_STEP_SUSPENDED;
      case RunChange.StepResumed _ -> RunEventType.RUN_EVENT_TYPE_STEP_RESUMED;
      case RunChange.RetryScheduled _ -> RunEventType.RUN_EVENT_TYPE_RETRY_SCHEDULED;
      case RunChange.LeaseLost _ -> RunEventType.RUN_EVENT_TYPE_LEASE_LOST;
      case RunChange.LeaseGivenBack _ -> RunEventType.RUN_EVENT_TYPE_LEASE_GIVEN_BACK;
      case RunChange.StepRecorded _ -> RunEventType.RUN_EVENT_TYPE_STEP_RECORDED;
      case RunChange.SignalReceived _ -> RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED;
      case RunChange.Paused _ -> RunEventType.RUN_EVENT_TYPE_PAUSED;
      case RunChange.Resumed _ -> RunEventType.RUN_EVENT_TYPE_RESUMED;
      case RunChange.Retried _ -> RunEventType.RUN_EVENT_TYPE_RETRIED;
      case RunChange.RunCompleted _ -> RunEventType.RUN_EVENT_TYPE_COMPLETED;
      case RunChange.RunFailed _ -> RunEventType.RUN_EVENT_TYPE_FAILED;
      case RunChange.RunCancelled _ -> RunEventType.RUN_EVENT_TYPE_CANCELLED;
      case RunChange.HookCreated _ -> RunEventType.RUN_EVENT_TYPE_HOOK_CREATED;
      case RunChange.HookDisposed _ -> RunEventType.RUN_EVENT_TYPE_HOOK_DISPOSED;
      case RunChange.Superseded _ -> RunEventType.RUN_EVENT_TYPE_SUPERSEDED;
    };
  }

  private void describe(RunEvent event, Details.Builder to) {
    event.change().wentWrong().map(Payloads::encode).ifPresent(to::setFailure);
    switch (event.change()) {
      case RunChange.Created(var origin) -> created(origin, to);
      case RunChange.StepStarted(var grant) ->
          grant.ifPresent(given -> to.setFence(given.fence().value()));
      case RunChange.StepCompleted done -> {
        done.output().map(Payloads::encode).ifPresent(to::setOutput);
        done.patch().map(Payloads::encode).ifPresent(to::setStatePatch);
        to.addAllConsumedSignalIds(done.consumed());
      }
      case RunChange.StepSuspended(var until, var signal, var patch) -> {
        until.map(Durations::encode).ifPresent(to::setUntil);
        signal.map(SignalFilters::encode).ifPresent(to::setSignalFilter);
        patch.map(Payloads::encode).ifPresent(to::setStatePatch);
      }
      case RunChange.StepResumed(var signalId) -> signalId.ifPresent(to::setSignalId);
      case RunChange.RetryScheduled(_, var due) -> to.setRetryAt(Durations.encode(due));
      case RunChange.LeaseGivenBack(var due) ->
          due.map(Durations::encode).ifPresent(to::setRetryAt);
      case RunChange.StepRecorded(var name, var output, var consumed) ->
          to.setStepId(new NamedStepId(run.id(), event.step(), name).text())
              .setRecordedName(name)
              .setOutput(Payloads.encode(output))
              .addAllConsumedSignalIds(consumed);
      case RunChange.SignalReceived(var id, var type, var hook, var payload) ->
          to.setSignal(
              RunSignals.encode(new RunReads.Received(id, type, hook, payload, event.at())));
      case RunChange.Paused(var reason) -> to.setReason(reason);
      case RunChange.Resumed(var reason) -> to.setReason(reason);
      case RunChange.Retried(_, var reason) -> to.setReason(reason);
      case RunChange.RunCancelled(var reason, var by) -> {
        to.setReason(reason);
        by.map(RunId::text).ifPresent(to::setSupersededBy);
      }
      case RunChange.HookCreated(var hook, var name, var retention, var from) -> {
        to.setHookFingerprint(HookFingerprint.of(hook).text())
            .setHookName(name)
            .setRetention(Durations.encode(retention));
        from.map(RunId::text).ifPresent(to::setSupersedes);
      }
      case RunChange.HookDisposed(var hook) ->
          to.setHookFingerprint(HookFingerprint.of(hook).text());
      case RunChange.Superseded(var by) -> to.setSupersededBy(by.text());
      case RunChange.RunCompleted _ -> run.output().map(Payloads::encode).ifPresent(to::setOutput);
      case RunChange.StepFailed _, RunChange.LeaseLost _, RunChange.RunFailed _ -> {}
    }
  }

  private void created(Origin origin, Details.Builder to) {
    to.setDefinition(run.definition().id().name())
        .setDefinitionVersion(run.definition().id().version())
        .setInput(Payloads.encode(origin.input()))
        .putAllLabels(origin.labels());
    if (origin.notBefore().isAfter(origin.createdAt())) {
      to.setStartAt(Durations.encode(origin.notBefore()));
    }
  }
}
