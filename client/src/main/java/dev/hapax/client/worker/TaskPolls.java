package dev.hapax.client.worker;

import dev.hapax.client.internal.Poller;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.rpc.WorkerRpcs;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import io.grpc.MethodDescriptor;
import java.time.Duration;

/** Polls for the tasks of a worker. */
final class TaskPolls implements Poller.Polled<PollTasksRequest, PollTasksResponse> {

  private final WorkerBuilder settings;
  private final InFlightTasks inFlight;

  TaskPolls(WorkerBuilder settings, InFlightTasks inFlight) {
    this.settings = settings;
    this.inFlight = inFlight;
  }

  @Override
  public MethodDescriptor<PollTasksRequest, PollTasksResponse> method() {
    return WorkerRpcs.POLL_TASKS;
  }

  @Override
  public int free() {
    return inFlight.free();
  }

  @Override
  public PollTasksRequest request(String attemptId, int atMost, Duration wait) {
    return PollTasksRequest.newBuilder()
        .setWorkspace(settings.workspace())
        .addAllQueues(settings.handlers().queues())
        .setWorkerId(settings.workerId())
        .setAttemptId(attemptId)
        .setMaxTasks(atMost)
        .setWait(ProtoTimes.toProto(wait))
        .build();
  }

  @Override
  public Duration pollWait() {
    return settings.pollWait();
  }

  @Override
  public int take(RetryingCalls.Answer<PollTasksResponse> answer) {
    answer.response().getTasksList().forEach(task -> inFlight.take(task, answer));
    return answer.response().getTasksCount();
  }
}
