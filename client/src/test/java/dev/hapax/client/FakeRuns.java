package dev.hapax.client;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CancelRunResponse;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.Failure;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.PauseRunResponse;
import dev.hapax.v1.Payload;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.ResumeRunResponse;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.RetryRunResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.SignalRunResponse;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WatchRunResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs that move when the test says so: what a caller of RunService sees of them. */
public final class FakeRuns extends RunServiceGrpc.RunServiceImplBase {

  private static final Set<RunStatus> ENDED =
      EnumSet.of(
          RunStatus.RUN_STATUS_COMPLETED,
          RunStatus.RUN_STATUS_FAILED,
          RunStatus.RUN_STATUS_CANCELLED);

  private final Timing timing;
  private final Faults faults;
  private final Map<String, Run> runs = new HashMap<>();
  private final Map<String, StartRunRequest> keys = new HashMap<>();
  private final Map<String, String> byKey = new HashMap<>();
  private final Set<String> signals = new HashSet<>();
  private final Set<String> retries = new HashSet<>();
  private final List<Runnable> parked = new ArrayList<>();
  private final List<Object> requests = new ArrayList<>();
  private @Nullable StreamObserver<WatchRunResponse> watcher;

  public FakeRuns(Timing timing, Faults faults) {
    this.timing = timing;
    this.faults = faults;
  }

  /** Every request of this type, oldest first. */
  public synchronized <Q> List<Q> requests(Class<Q> type) {
    return requests.stream().filter(type::isInstance).map(type::cast).toList();
  }

  public synchronized int count() {
    return runs.size();
  }

  public void complete(String runId, String output) {
    move(
        runId,
        RunStatus.RUN_STATUS_COMPLETED,
        run -> run.setOutput(Payload.newBuilder().setJson(output)));
  }

  public void fail(String runId, String code) {
    move(
        runId,
        RunStatus.RUN_STATUS_FAILED,
        run -> run.setCurrentStep("charge").setFailure(Failure.newBuilder().setCode(code)));
  }

  public void move(String runId, RunStatus status) {
    move(runId, status, run -> {});
  }

  private void move(String runId, RunStatus status, Consumer<Run.Builder> how) {
    List<Runnable> woken;
    synchronized (this) {
      Run.Builder run = run(runId).toBuilder();
      run.setStatus(status).setVersion(run.getVersion() + 1);
      how.accept(run);
      runs.put(runId, run.build());
      woken = List.copyOf(parked);
      parked.clear();
    }
    woken.forEach(Runnable::run);
  }

  private synchronized Run run(String runId) {
    Run run = runs.get(runId);
    if (run == null) {
      throw refusal(Status.Code.NOT_FOUND, ErrorReason.ERROR_REASON_RUN_NOT_FOUND, Map.of());
    }
    return run;
  }

  public static StatusRuntimeException refusal(
      Status.Code code, ErrorReason reason, Map<String, String> metadata) {
    ErrorInfo info =
        ErrorInfo.newBuilder()
            .setDomain("hapax.dev")
            .setReason(reason.name().replace("ERROR_REASON_", ""))
            .putAllMetadata(metadata)
            .build();
    return StatusProto.toStatusRuntimeException(
        com.google.rpc.Status.newBuilder()
            .setCode(code.value())
            .addDetails(Any.pack(info))
            .build());
  }

  @Override
  public void startRun(StartRunRequest request, StreamObserver<StartRunResponse> answer) {
    faults.serve("start", answer, reply -> reply.accept(start(request)));
  }

  private synchronized StartRunResponse start(StartRunRequest request) {
    requests.add(request);
    String key = request.getIdempotencyKey();
    StartRunRequest first = keys.putIfAbsent(key, request);
    String existing = byKey.get(key);
    if (first != null && existing != null) {
      if (!first.getInput().equals(request.getInput())) {
        throw refusal(
            Status.Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_IDEMPOTENCY_KEY_REUSED,
            Map.of("run_id", existing));
      }
      return StartRunResponse.newBuilder()
          .setRun(run(existing))
          .setDisposition(Disposition.DISPOSITION_EXISTING)
          .build();
    }
    Run run =
        Run.newBuilder()
            .setId("run_" + (runs.size() + 1))
            .setDefinition(request.getDefinition())
            .setStatus(RunStatus.RUN_STATUS_PENDING)
            .setVersion(1)
            .setInput(request.getInput())
            .build();
    runs.put(run.getId(), run);
    byKey.put(key, run.getId());
    return StartRunResponse.newBuilder()
        .setRun(run)
        .setCreated(true)
        .setDisposition(Disposition.DISPOSITION_CREATED)
        .build();
  }

  @Override
  public void getRun(GetRunRequest request, StreamObserver<GetRunResponse> answer) {
    faults.serve(
        "get",
        answer,
        reply -> reply.accept(GetRunResponse.newBuilder().setRun(run(request.getRunId())).build()));
  }

  @Override
  public void awaitRun(AwaitRunRequest request, StreamObserver<AwaitRunResponse> answer) {
    faults.serve("await", answer, reply -> await(request, reply));
  }

  private void await(AwaitRunRequest request, Consumer<AwaitRunResponse> reply) {
    String runId;
    synchronized (this) {
      requests.add(request);
      runId =
          request.hasIdempotencyKey()
              ? byKey.getOrDefault(request.getIdempotencyKey(), "")
              : request.getRunId();
    }
    long until = timing.nanos() + ProtoTimes.toJava(request.getWait()).toNanos();
    look(runId, request.getAfterVersion(), until, reply);
  }

  private void look(String runId, long after, long until, Consumer<AwaitRunResponse> reply) {
    Run run = run(runId);
    boolean moved = after > 0 && run.getVersion() > after;
    if (moved || ENDED.contains(run.getStatus()) || timing.nanos() >= until) {
      reply.accept(AwaitRunResponse.newBuilder().setRun(run).build());
      return;
    }
    boolean[] woken = {false};
    Runnable again =
        () -> {
          synchronized (woken) {
            if (woken[0]) {
              return;
            }
            woken[0] = true;
          }
          look(runId, after, until, reply);
        };
    synchronized (this) {
      parked.add(again);
    }
    timing.after(Duration.ofNanos(until - timing.nanos()), again);
  }

  @Override
  public void signalRun(SignalRunRequest request, StreamObserver<SignalRunResponse> answer) {
    faults.serve("signal", answer, reply -> reply.accept(signal(request)));
  }

  private synchronized SignalRunResponse signal(SignalRunRequest request) {
    requests.add(request);
    run(request.getRunId());
    return SignalRunResponse.newBuilder()
        .setRunId(request.getRunId())
        .setDisposition(
            signals.add(request.getSignal().getSignalId())
                ? SignalDisposition.SIGNAL_DISPOSITION_BUFFERED
                : SignalDisposition.SIGNAL_DISPOSITION_DUPLICATE)
        .build();
  }

  @Override
  public void cancelRun(CancelRunRequest request, StreamObserver<CancelRunResponse> answer) {
    faults.serve(
        "cancel",
        answer,
        reply -> {
          Run run = run(request.getRunId());
          if (run.getStatus() != RunStatus.RUN_STATUS_CANCELLED) {
            expect(run, request.getExpectedVersion());
            move(request.getRunId(), RunStatus.RUN_STATUS_CANCELLED);
          }
          reply.accept(CancelRunResponse.newBuilder().setRun(run(request.getRunId())).build());
        });
  }

  private static void expect(Run run, long version) {
    if (version != 0 && version != run.getVersion()) {
      throw refusal(
          Status.Code.ABORTED,
          ErrorReason.ERROR_REASON_CONCURRENCY_ERROR,
          Map.of("version", Long.toString(run.getVersion())));
    }
  }

  @Override
  public void pauseRun(PauseRunRequest request, StreamObserver<PauseRunResponse> answer) {
    faults.serve(
        "pause",
        answer,
        reply -> {
          move(request.getRunId(), RunStatus.RUN_STATUS_PAUSED);
          reply.accept(PauseRunResponse.newBuilder().setRun(run(request.getRunId())).build());
        });
  }

  @Override
  public void resumeRun(ResumeRunRequest request, StreamObserver<ResumeRunResponse> answer) {
    faults.serve(
        "resume",
        answer,
        reply -> {
          move(request.getRunId(), RunStatus.RUN_STATUS_RUNNING);
          reply.accept(ResumeRunResponse.newBuilder().setRun(run(request.getRunId())).build());
        });
  }

  @Override
  public void retryRun(RetryRunRequest request, StreamObserver<RetryRunResponse> answer) {
    faults.serve(
        "retry",
        answer,
        reply -> {
          boolean first;
          synchronized (this) {
            requests.add(request);
            first = retries.add(request.getRequestId());
          }
          if (first) {
            move(request.getRunId(), RunStatus.RUN_STATUS_RUNNING);
          }
          reply.accept(RetryRunResponse.newBuilder().setRun(run(request.getRunId())).build());
        });
  }

  /** Keeps the stream: the test sends what it likes with {@link #happens}. */
  @Override
  public void watchRun(WatchRunRequest request, StreamObserver<WatchRunResponse> answer) {
    synchronized (this) {
      requests.add(request);
      watcher = answer;
    }
    ((ServerCallStreamObserver<WatchRunResponse>) answer).setOnCancelHandler(() -> {});
    try {
      run(request.getRunId());
    } catch (StatusRuntimeException refused) {
      answer.onError(refused);
    }
  }

  public void happens(long... versions) {
    for (long version : versions) {
      watcher()
          .onNext(
              WatchRunResponse.newBuilder()
                  .setEvent(RunEvent.newBuilder().setVersion(version))
                  .build());
    }
  }

  public synchronized StreamObserver<WatchRunResponse> watcher() {
    return Objects.requireNonNull(watcher);
  }
}
