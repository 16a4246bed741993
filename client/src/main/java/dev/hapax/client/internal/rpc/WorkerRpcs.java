package dev.hapax.client.internal.rpc;

import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailTaskResponse;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.ListRecordsRequest;
import dev.hapax.v1.ListRecordsResponse;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecordStepResponse;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.ReleaseTaskResponse;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.SuspendTaskResponse;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import io.grpc.MethodDescriptor;

/** The methods of {@code WorkerService} that this client calls. */
public final class WorkerRpcs {

  public static final MethodDescriptor<CompleteTaskRequest, CompleteTaskResponse> COMPLETE_TASK =
      Rpc.of(CompleteTaskRequest.getDefaultInstance(), CompleteTaskResponse.getDefaultInstance());

  public static final MethodDescriptor<FailTaskRequest, FailTaskResponse> FAIL_TASK =
      Rpc.of(FailTaskRequest.getDefaultInstance(), FailTaskResponse.getDefaultInstance());

  public static final MethodDescriptor<HeartbeatTasksRequest, HeartbeatTasksResponse>
      HEARTBEAT_TASKS =
          Rpc.of(
              HeartbeatTasksRequest.getDefaultInstance(),
              HeartbeatTasksResponse.getDefaultInstance());

  public static final MethodDescriptor<ListRecordsRequest, ListRecordsResponse> LIST_RECORDS =
      Rpc.of(ListRecordsRequest.getDefaultInstance(), ListRecordsResponse.getDefaultInstance());

  public static final MethodDescriptor<PollTasksRequest, PollTasksResponse> POLL_TASKS =
      Rpc.of(PollTasksRequest.getDefaultInstance(), PollTasksResponse.getDefaultInstance());

  public static final MethodDescriptor<RecordStepRequest, RecordStepResponse> RECORD_STEP =
      Rpc.of(RecordStepRequest.getDefaultInstance(), RecordStepResponse.getDefaultInstance());

  public static final MethodDescriptor<ReleaseTaskRequest, ReleaseTaskResponse> RELEASE_TASK =
      Rpc.of(ReleaseTaskRequest.getDefaultInstance(), ReleaseTaskResponse.getDefaultInstance());

  public static final MethodDescriptor<SuspendTaskRequest, SuspendTaskResponse> SUSPEND_TASK =
      Rpc.of(SuspendTaskRequest.getDefaultInstance(), SuspendTaskResponse.getDefaultInstance());

  public static final MethodDescriptor<WorkRequest, WorkResponse> WORK =
      Rpc.of(WorkRequest.getDefaultInstance(), WorkResponse.getDefaultInstance());

  private WorkerRpcs() {}
}
