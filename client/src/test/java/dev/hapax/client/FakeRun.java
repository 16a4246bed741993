package dev.hapax.client;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.Failure;
import dev.hapax.v1.PartResult;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SignalFilter;
import dev.hapax.v1.Step;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One run of {@link FakeWork}, under its lock. */
public final class FakeRun {

  private static final int ATTEMPTS = 3;

  public final String id;
  public final FakeParts parts;
  public final List<Signal> inbox = new ArrayList<>();
  public final List<String> patches = new ArrayList<>();
  public final List<String> outputs = new ArrayList<>();
  public final Map<String, String> labels = new LinkedHashMap<>();
  public Duration lease = Duration.ofSeconds(30);
  public RunStatus status = RunStatus.RUN_STATUS_PENDING;
  public String lastQueue = "";
  @Nullable Failure failure;
  public int attempt = 1;

  private final String definition;
  private final List<String> steps;
  private final Timing timing;
  private final Map<String, String> ended = new LinkedHashMap<>();
  private int step;
  private long fence = 100;
  private @Nullable String heldBy;
  private long leaseUntil;
  private @Nullable Long due = 0L;
  private @Nullable SignalFilter waitsFor;

  public FakeRun(String id, String definition, List<String> steps, Timing timing) {
    this.id = id;
    this.definition = definition;
    this.steps = steps;
    this.timing = timing;
    this.parts = new FakeParts(timing);
  }

  public String stepId() {
    return id + ".step" + step;
  }

  private String queue() {
    return steps.get(step).split("/", 2)[0];
  }

  public boolean isFree(List<String> queues) {
    boolean over = heldBy != null && timing.nanos() >= leaseUntil;
    if (over) {
      loseLease();
    }
    return step < steps.size()
        && (status == RunStatus.RUN_STATUS_PENDING
            || status == RunStatus.RUN_STATUS_RUNNING
            || status == RunStatus.RUN_STATUS_WAITING)
        && heldBy == null
        && due != null
        && timing.nanos() >= due
        && queues.contains(queue());
  }

  public boolean isHeldBy(String poll) {
    return poll.equals(heldBy);
  }

  public boolean isHeldBy(Claim claim) {
    return heldBy != null && claim.getFence() == fence;
  }

  public boolean hasEnded(Claim claim, String verb) {
    return verb.equals(ended.get(claim.getId()));
  }

  public void grant(String poll) {
    fence++;
    heldBy = poll;
    waitsFor = null;
    status = RunStatus.RUN_STATUS_RUNNING;
    renew();
  }

  public void renew() {
    leaseUntil = timing.nanos() + lease.toNanos();
  }

  public Task task(long arrived) {
    Task.Builder task =
        Task.newBuilder()
            .setClaim(Claim.newBuilder().setId(claimId()).setFence(fence))
            .setRun(Run.newBuilder().setId(id).setDefinition(definition).putAllLabels(labels))
            .setStep(
                Step.newBuilder()
                    .setId(stepId())
                    .setName(steps.get(step).split("/", 2)[1])
                    .setAttempt(attempt)
                    .setQueue(queue()))
            .setInput(Payload.newBuilder().setJson("{}"))
            .setState(Payload.newBuilder().setJson("{}"))
            .addAllSignals(inbox)
            .setLeaseRemaining(ProtoTimes.toProto(Duration.ofNanos(leaseUntil - arrived)))
            .setLastAttempt(attempt == ATTEMPTS);
    if (failure != null) {
      task.getStepBuilder().setFailure(failure);
    }
    parts.addTo(task);
    return task.build();
  }

  private String claimId() {
    return id + "/" + fence;
  }

  private void end(String verb) {
    ended.put(claimId(), verb);
    heldBy = null;
  }

  public void complete(CompleteTaskRequest request) {
    end("complete");
    outputs.add(request.getOutput().getJson());
    consume(request.getConsumedSignalIdsList());
    patch(request.getStatePatch());
    lastQueue = queue();
    step++;
    attempt = 1;
    due = 0L;
    parts.clear();
    status = step < steps.size() ? RunStatus.RUN_STATUS_RUNNING : RunStatus.RUN_STATUS_COMPLETED;
  }

  public void fail(Failure why, boolean forGood, FailTaskRequest request) {
    parts.report(request.getPartsList(), fence);
    end("fail");
    failure = why;
    if (forGood || attempt == ATTEMPTS) {
      status = RunStatus.RUN_STATUS_FAILED;
    } else {
      attempt++;
      due = timing.nanos() + ProtoTimes.toJava(request.getRetryAfter()).toNanos();
    }
  }

  public void suspend(SuspendTaskRequest request) {
    end("suspend");
    patch(request.getStatePatch());
    status = RunStatus.RUN_STATUS_WAITING;
    due =
        request.hasDuration()
            ? timing.nanos() + ProtoTimes.toJava(request.getDuration()).toNanos()
            : null;
    waitsFor = request.hasSignalFilter() ? request.getSignalFilter() : null;
    inbox.forEach(this::wakeFor);
  }

  public void release(Duration delay) {
    end("release");
    due = timing.nanos() + delay.toNanos();
  }

  @Nullable Duration dueIn() {
    Long at = due;
    return at == null ? null : Duration.ofNanos(Math.max(0, at - timing.nanos()));
  }

  public void signalled(Signal signal) {
    inbox.add(signal);
    wakeFor(signal);
  }

  private void wakeFor(Signal signal) {
    SignalFilter filter = waitsFor;
    if (filter != null && matches(filter, signal)) {
      due = timing.nanos();
    }
  }

  private static boolean matches(SignalFilter filter, Signal signal) {
    return isIn(filter.getType(), signal.getType())
        && isIn(filter.getHook(), signal.getHook())
        && isIn(filter.getHookName(), signal.getHookName());
  }

  private static boolean isIn(String wanted, String text) {
    return wanted.isEmpty() || wanted.equals(text);
  }

  public void loseLease() {
    heldBy = null;
    attempt++;
    due = timing.nanos();
  }

  public void cancel() {
    heldBy = null;
    status = RunStatus.RUN_STATUS_CANCELLED;
  }

  public List<PartResult> record(RecordStepRequest request) {
    patch(request.getStatePatch());
    request.getPartsList().forEach(part -> consume(part.getConsumedSignalIdsList()));
    return parts.report(request.getPartsList(), fence);
  }

  private void consume(List<String> signalIds) {
    inbox.removeIf(signal -> signalIds.contains(signal.getSignalId()));
  }

  private void patch(Payload patch) {
    if (!patch.getJson().isEmpty()) {
      patches.add(patch.getJson());
    }
  }
}
