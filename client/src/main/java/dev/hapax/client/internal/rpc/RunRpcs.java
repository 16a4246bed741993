package dev.hapax.client.internal.rpc;

import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CancelRunResponse;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.PauseRunResponse;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.ResumeRunResponse;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.RetryRunResponse;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.SignalRunResponse;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.StartRunStreamRequest;
import dev.hapax.v1.StartRunStreamResponse;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WatchRunResponse;
import io.grpc.MethodDescriptor;

/** The methods of {@code RunService} that this client calls. */
public final class RunRpcs {

  public static final MethodDescriptor<AwaitRunRequest, AwaitRunResponse> AWAIT_RUN =
      Rpc.of(AwaitRunRequest.getDefaultInstance(), AwaitRunResponse.getDefaultInstance());

  public static final MethodDescriptor<CancelRunRequest, CancelRunResponse> CANCEL_RUN =
      Rpc.of(CancelRunRequest.getDefaultInstance(), CancelRunResponse.getDefaultInstance());

  public static final MethodDescriptor<GetRunRequest, GetRunResponse> GET_RUN =
      Rpc.of(GetRunRequest.getDefaultInstance(), GetRunResponse.getDefaultInstance());

  public static final MethodDescriptor<PauseRunRequest, PauseRunResponse> PAUSE_RUN =
      Rpc.of(PauseRunRequest.getDefaultInstance(), PauseRunResponse.getDefaultInstance());

  public static final MethodDescriptor<ResumeRunRequest, ResumeRunResponse> RESUME_RUN =
      Rpc.of(ResumeRunRequest.getDefaultInstance(), ResumeRunResponse.getDefaultInstance());

  public static final MethodDescriptor<RetryRunRequest, RetryRunResponse> RETRY_RUN =
      Rpc.of(RetryRunRequest.getDefaultInstance(), RetryRunResponse.getDefaultInstance());

  public static final MethodDescriptor<SignalRunRequest, SignalRunResponse> SIGNAL_RUN =
      Rpc.of(SignalRunRequest.getDefaultInstance(), SignalRunResponse.getDefaultInstance());

  public static final MethodDescriptor<StartRunRequest, StartRunResponse> START_RUN =
      Rpc.of(StartRunRequest.getDefaultInstance(), StartRunResponse.getDefaultInstance());

  public static final MethodDescriptor<StartRunStreamRequest, StartRunStreamResponse>
      START_RUN_STREAM =
          Rpc.of(
              StartRunStreamRequest.getDefaultInstance(),
              StartRunStreamResponse.getDefaultInstance());

  public static final MethodDescriptor<WatchRunRequest, WatchRunResponse> WATCH_RUN =
      Rpc.of(WatchRunRequest.getDefaultInstance(), WatchRunResponse.getDefaultInstance());

  private RunRpcs() {}
}
