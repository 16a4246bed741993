package dev.hapax.grpc.monitoring;

import dev.hapax.application.janitor.PollRecoveries;
import dev.hapax.application.run.PollRequest;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.Failure;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.Page;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Text;
import dev.hapax.domain.WaitLimits;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.Limit;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.hook.ConflictPolicy;
import dev.hapax.domain.hook.Hook;
import dev.hapax.domain.hook.StartRunWithHooks;
import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.operation.OperationLimits;
import dev.hapax.domain.run.FailTask;
import dev.hapax.domain.run.HeartbeatTask;
import dev.hapax.domain.run.Inbox;
import dev.hapax.domain.run.ReleaseTask;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.StartRun;
import dev.hapax.grpc.call.CallStream;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.JsonText;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.call.RequestRules;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.ServerLimits;
import dev.hapax.v1.StartRunsRequest;

/** Encodes the limits that the server enforces. */
final class LimitsEncoding {
  static final ServerLimits LIMITS =
      ServerLimits.newBuilder()
          .setMaxRequestBytes(HapaxServer.MAX_REQUEST_BYTES)
          .setMaxPayloadBytes(Payload.MAX_BYTES)
          .setMaxJsonDepth(JsonText.MAX_DEPTH)
          .setMaxNameCharacters(Text.MAX_LENGTH)
          .setMaxFingerprintBytes(Fingerprint.MAX_BYTES)
          .setMaxFailureMessageBytes(Failure.MAX_MESSAGE_BYTES)
          .setDefaultPageSize(Page.DEFAULT_SIZE)
          .setMaxPageSize(Page.MAX_SIZE)
          .setMaxPageBytes(PageTokens.MAX_BYTES)
          .setMaxWait(Durations.encode(WaitLimits.MAX))
          .setMinLease(Durations.encode(LeaseLimits.MIN))
          .setMaxLease(Durations.encode(LeaseLimits.MAX))
          .setDefaultOperationLease(Durations.encode(LeaseLimits.DEFAULT_OF_OPERATION))
          .setDefaultTaskLease(Durations.encode(LeaseLimits.DEFAULT_OF_TASK))
          .setDefaultActionLease(Durations.encode(LeaseLimits.DEFAULT_OF_ACTION))
          .setDefaultRecoveryLease(Durations.encode(LeaseLimits.DEFAULT_OF_RECOVERY))
          .setDefaultOperationTtl(Durations.encode(OperationLimits.DEFAULT_TTL))
          .setMaxOperationTtl(Durations.encode(OperationLimits.MAX_TTL))
          .setDefaultRunKeyRetention(Durations.encode(StartRun.Key.DEFAULT_RETENTION))
          .setMaxRunKeyRetention(Durations.encode(StartRun.Key.MAX_RETENTION))
          .setMaxTasksPerPoll(PollRequest.MAX_TASKS)
          .setMaxQueuesPerPoll(PollRequest.MAX_QUEUES)
          .setMaxRecoveriesPerPoll(PollRecoveries.MAX_RECOVERIES)
          .setMaxStartsPerCall(RequestRules.maxItems(StartRunsRequest.getDescriptor(), "requests"))
          .setMaxClaimsPerHeartbeat(
              RequestRules.maxItems(HeartbeatTasksRequest.getDescriptor(), "claims"))
          .setMaxCallsPerMessage(CallStream.MAX_CALLS)
          .setMaxStreamAge(Durations.encode(CallStream.MAX_AGE))
          .setMaxWaitingCalls(WaiterQuota.MAX_PER_WORKSPACE)
          .setMaxCallsPerConnection(HapaxServer.MAX_CALLS_PER_CONNECTION)
          .setMaxSteps(Definition.MAX_STEPS)
          .setMaxAttempts(RetryPolicy.MAX_ATTEMPTS)
          .setMaxLabels(RunParameters.MAX_LABELS)
          .setMaxRunEvents(Run.MAX_EVENTS)
          .setMaxUnconsumedSignals(Inbox.MAX_UNCONSUMED)
          .setMaxHooks(StartRunWithHooks.MAX_HOOKS)
          .setMaxHookRetention(Durations.encode(Hook.MAX_RETENTION))
          .setMaxStartDelay(Durations.encode(StartRun.MAX_DELAY))
          .setMaxStepWait(Durations.encode(StepDefinition.Timer.After.MAX))
          .setMaxReleaseDelay(Durations.encode(ReleaseTask.MAX_DELAY))
          .setMaxRetryAfter(Durations.encode(FailTask.MAX_RETRY_AFTER))
          .setMaxFilterValues(RequestRules.maxItems(ListRunsRequest.getDescriptor(), "statuses"))
          .setMaxLifecycles(LifecycleReads.MAX_PER_WORKSPACE)
          .setMaxLifecycleStatuses(Lifecycle.MAX_STATUSES)
          .setMaxLifecycleSteps(Lifecycle.MAX_STEPS)
          .setMaxJanitors(JanitorReads.MAX_PER_WORKSPACE)
          .setMaxJanitorClaimStates(JanitorContract.MAX_CLAIM_STATES)
          .setMaxPostedIntents(Intent.MAX_POSTED)
          .setMaxPartAttempts(RetryPolicy.MAX_ATTEMPTS)
          .setMaxPartsPerCall(RequestRules.maxItems(RecordStepRequest.getDescriptor(), "parts"))
          .setMaxPartNameCharacters(Text.MAX_LENGTH)
          .setMaxStackBytes(Failure.MAX_STACK_BYTES)
          .setMaxQueueLimit(ConflictPolicy.Queue.MAX_LIMIT)
          .setMaxLimitsPerStep(Limit.MOST_OF_STEP)
          .setMaxLimitRunning(Limit.MAX_RUNNING)
          .setMaxHeartbeatDetailsBytes(HeartbeatTask.MAX_DETAILS)
          .setMaxAttemptTimeout(Durations.encode(StepDefinition.Work.MAX_ATTEMPT_TIMEOUT))
          .build();

  private LimitsEncoding() {}
}
