package dev.hapax.client;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailTaskResponse;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.LeaseRenewed;
import dev.hapax.v1.ListRecordsRequest;
import dev.hapax.v1.ListRecordsResponse;
import dev.hapax.v1.PartResults;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RecordStepResponse;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.ReleaseTaskResponse;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.SuspendTaskResponse;
import dev.hapax.v1.Task;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The tasks of DESIGN 5.2 in memory, without what a worker does not see. */
public final class FakeWork extends WorkerServiceGrpc.WorkerServiceImplBase {

  private static final Duration DEFAULT_RELEASE_DELAY = Duration.ofSeconds(5);

  /** False: a poll is answered at once, as by a server that is stopping. */
  public volatile boolean waits = true;

  private final Timing timing;
  private final Faults faults;
  private final Map<String, FakeRun> runs = new LinkedHashMap<>();
  private final List<Runnable> parked = new ArrayList<>();
  private final List<PollTasksRequest> polls = new ArrayList<>();
  private final List<Object> requests = new ArrayList<>();

  public FakeWork(Timing timing, Faults faults) {
    this.timing = timing;
    this.faults = faults;
  }

  /** A run of steps {@code queue/step}, each with a lease of 30 s. */
  public String start(String definition, String... steps) {
    FakeRun run;
    synchronized (this) {
      run = new FakeRun("run_" + (runs.size() + 1), definition, List.of(steps), timing);
      runs.put(run.id, run);
    }
    wake();
    return run.id;
  }

  public synchronized FakeRun run(String runId) {
    return Objects.requireNonNull(runs.get(runId));
  }

  /** Whether a poll waits for tasks. */
  public synchronized boolean isPolled() {
    return !parked.isEmpty();
  }

  public synchronized List<PollTasksRequest> polls() {
    return List.copyOf(polls);
  }

  /** Every other request of this type, oldest first. */
  public synchronized <Q> List<Q> requests(Class<Q> type) {
    return requests.stream().filter(type::isInstance).map(type::cast).toList();
  }

  public void signal(String runId, Signal signal) {
    synchronized (this) {
      run(runId).signalled(signal);
    }
    wake();
  }

  /** As after the end of the lease: the task is free again, for the next attempt. */
  public void takeAway(String runId) {
    synchronized (this) {
      run(runId).loseLease();
    }
    wake();
  }

  public void cancel(String runId) {
    synchronized (this) {
      run(runId).cancel();
    }
  }

  /** Looks who can be handed out now: time has passed. */
  public void wake() {
    List<Runnable> all;
    synchronized (this) {
      all = List.copyOf(parked);
      parked.clear();
    }
    all.forEach(Runnable::run);
  }

  @Override
  public void pollTasks(PollTasksRequest request, StreamObserver<PollTasksResponse> answer) {
    ServerCallStreamObserver<PollTasksResponse> call =
        (ServerCallStreamObserver<PollTasksResponse>) answer;
    call.setOnCancelHandler(() -> {});
    synchronized (this) {
      polls.add(request);
    }
    long arrived = timing.nanos();
    long until = arrived + ProtoTimes.toJava(request.getWait()).toNanos();
    faults.serve("poll", answer, reply -> poll(request, arrived, until, call, reply));
  }

  private void poll(
      PollTasksRequest request,
      long arrived,
      long until,
      ServerCallStreamObserver<PollTasksResponse> call,
      Consumer<PollTasksResponse> reply) {
    List<Task> tasks;
    synchronized (this) {
      if (call.isCancelled()) {
        return;
      }
      tasks = claim(request, arrived);
      if (tasks.isEmpty() && waits && timing.nanos() < until) {
        boolean[] woken = {false};
        Runnable[] again = new Runnable[1];
        again[0] =
            () -> {
              synchronized (this) {
                parked.remove(again[0]);
              }
              synchronized (woken) {
                if (woken[0]) {
                  return;
                }
                woken[0] = true;
              }
              poll(request, arrived, until, call, reply);
            };
        parked.add(again[0]);
        timing.after(Duration.ofNanos(until - timing.nanos()), again[0]);
        return;
      }
    }
    reply.accept(PollTasksResponse.newBuilder().addAllTasks(tasks).build());
  }

  private List<Task> claim(PollTasksRequest request, long arrived) {
    List<Task> tasks = new ArrayList<>();
    for (FakeRun run : runs.values()) {
      if (run.isHeldBy(request.getAttemptId())) {
        tasks.add(run.task(arrived));
      }
    }
    if (!tasks.isEmpty()) {
      return tasks;
    }
    for (FakeRun run : runs.values()) {
      if (tasks.size() < request.getMaxTasks() && run.isFree(request.getQueuesList())) {
        run.grant(request.getAttemptId());
        tasks.add(run.task(arrived));
      }
    }
    return tasks;
  }

  @Override
  public void completeTask(
      CompleteTaskRequest request, StreamObserver<CompleteTaskResponse> answer) {
    faults.serve("completeTask", answer, reply -> reply.accept(complete(request)));
  }

  private synchronized CompleteTaskResponse complete(CompleteTaskRequest request) {
    requests.add(request);
    CompleteTaskResponse.Builder response = CompleteTaskResponse.newBuilder();
    FakeRun run = owner(request.getClaim());
    boolean already = run != null && run.hasEnded(request.getClaim(), "complete");
    if (run == null || !(already || run.isHeldBy(request.getClaim()))) {
      return response.setClaimLost(lost(run)).build();
    }
    if (request.getOutput().getJson().equals("bad json")) {
      throw Status.INVALID_ARGUMENT.withDescription("output").asRuntimeException();
    }
    if (!already) {
      run.complete(request);
      if (request.getWantNext() && run.isFree(List.of(run.lastQueue))) {
        run.grant("");
      }
    }
    var completed = CompleteTaskResponse.Completed.newBuilder().setAlready(already);
    completed.setRunStatus(run.status);
    if (request.getWantNext() && run.isHeldBy("")) {
      completed.setNext(run.task(timing.nanos()));
    }
    return response.setCompleted(completed).build();
  }

  /** As a server after the commit of a transaction that completed the task. */
  public void completeInTransaction(Claim claim) {
    synchronized (this) {
      FakeRun run = owner(claim);
      if (run != null && run.isHeldBy(claim)) {
        run.complete(CompleteTaskRequest.newBuilder().setClaim(claim).build());
      }
    }
    wake();
  }

  @Override
  public void failTask(FailTaskRequest request, StreamObserver<FailTaskResponse> answer) {
    faults.serve("failTask", answer, reply -> reply.accept(fail(request)));
  }

  private synchronized FailTaskResponse fail(FailTaskRequest request) {
    requests.add(request);
    FailTaskResponse.Builder response = FailTaskResponse.newBuilder();
    FakeRun run = owner(request.getClaim());
    boolean already = run != null && run.hasEnded(request.getClaim(), "fail");
    if (run == null || !(already || run.isHeldBy(request.getClaim()))) {
      return response.setClaimLost(lost(run)).build();
    }
    if (!already) {
      boolean isFinal =
          request.getKind() == FailureKind.FAILURE_KIND_FINAL
              || request.getKind() == FailureKind.FAILURE_KIND_UNKNOWN_EFFECT;
      run.fail(request.getFailure(), isFinal, request);
    }
    return response.setFailed(FailTaskResponse.Failed.newBuilder().setAlready(already)).build();
  }

  @Override
  public void suspendTask(SuspendTaskRequest request, StreamObserver<SuspendTaskResponse> answer) {
    faults.serve(
        "suspend",
        answer,
        reply -> {
          reply.accept(suspend(request));
          wake();
        });
  }

  private synchronized SuspendTaskResponse suspend(SuspendTaskRequest request) {
    requests.add(request);
    SuspendTaskResponse.Builder response = SuspendTaskResponse.newBuilder();
    FakeRun run = owner(request.getClaim());
    boolean already = run != null && run.hasEnded(request.getClaim(), "suspend");
    if (run == null || !(already || run.isHeldBy(request.getClaim()))) {
      return response.setClaimLost(lost(run)).build();
    }
    if (!already) {
      run.suspend(request);
      Duration left = run.dueIn();
      if (left != null) {
        timing.after(left, this::wake);
      }
    }
    return response
        .setSuspended(SuspendTaskResponse.Suspended.newBuilder().setAlready(already))
        .build();
  }

  @Override
  public void releaseTask(ReleaseTaskRequest request, StreamObserver<ReleaseTaskResponse> answer) {
    faults.serve("release", answer, reply -> reply.accept(release(request)));
  }

  private synchronized ReleaseTaskResponse release(ReleaseTaskRequest request) {
    requests.add(request);
    ReleaseTaskResponse.Builder response = ReleaseTaskResponse.newBuilder();
    FakeRun run = owner(request.getClaim());
    boolean already = run != null && run.hasEnded(request.getClaim(), "release");
    if (run == null || !(already || run.isHeldBy(request.getClaim()))) {
      return response.setClaimLost(lost(run)).build();
    }
    if (!already) {
      Duration delay =
          request.hasDelay() ? ProtoTimes.toJava(request.getDelay()) : DEFAULT_RELEASE_DELAY;
      run.release(delay);
      timing.after(delay, this::wake);
    }
    return response
        .setReleased(ReleaseTaskResponse.Released.newBuilder().setAlready(already))
        .build();
  }

  @Override
  public void heartbeatTasks(
      HeartbeatTasksRequest request, StreamObserver<HeartbeatTasksResponse> answer) {
    faults.serve("heartbeat", answer, reply -> reply.accept(heartbeat(request)));
  }

  private synchronized HeartbeatTasksResponse heartbeat(HeartbeatTasksRequest request) {
    requests.add(request);
    HeartbeatTasksResponse.Builder response = HeartbeatTasksResponse.newBuilder();
    for (Claim claim : request.getClaimsList()) {
      FakeRun run = owner(claim);
      if (run != null && run.isHeldBy(claim)) {
        run.renew();
        response
            .addResultsBuilder()
            .setRenewed(LeaseRenewed.newBuilder().setLeaseRemaining(ProtoTimes.toProto(run.lease)));
      } else {
        response.addResultsBuilder().setClaimLost(lost(run));
      }
    }
    return response.build();
  }

  @Override
  public void recordStep(RecordStepRequest request, StreamObserver<RecordStepResponse> answer) {
    faults.serve("record", answer, reply -> reply.accept(record(request)));
  }

  private synchronized RecordStepResponse record(RecordStepRequest request) {
    requests.add(request);
    RecordStepResponse.Builder response = RecordStepResponse.newBuilder();
    FakeRun run = owner(request.getClaim());
    if (run == null || !run.isHeldBy(request.getClaim())) {
      return response.setClaimLost(lost(run)).build();
    }
    boolean isBad =
        request.getPartsList().stream()
            .anyMatch(part -> part.getOutput().getJson().equals("bad json"));
    if (isBad) {
      throw Status.INVALID_ARGUMENT.withDescription("output").asRuntimeException();
    }
    return response.setParts(PartResults.newBuilder().addAllResults(run.record(request))).build();
  }

  @Override
  public void listRecords(ListRecordsRequest request, StreamObserver<ListRecordsResponse> answer) {
    faults.serve("listRecords", answer, reply -> reply.accept(list(request)));
  }

  private synchronized ListRecordsResponse list(ListRecordsRequest request) {
    FakeRun run = owner(request.getClaim());
    return run == null || !run.isHeldBy(request.getClaim())
        ? ListRecordsResponse.newBuilder().setClaimLost(lost(run)).build()
        : run.parts.page(request.getPageToken());
  }

  private @Nullable FakeRun owner(Claim claim) {
    return runs.get(claim.getId().split("/", 2)[0]);
  }

  private static ClaimLost lost(@Nullable FakeRun run) {
    ClaimLostReason reason =
        run != null && run.status == RunStatus.RUN_STATUS_CANCELLED
            ? ClaimLostReason.CLAIM_LOST_REASON_RUN_CANCELLED
            : ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST;
    return ClaimLost.newBuilder().setReason(reason).build();
  }
}
