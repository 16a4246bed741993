package dev.hapax.client;

import dev.hapax.client.Calls.Answer;
import dev.hapax.client.Observer.HolderKind;
import dev.hapax.client.Observer.TaskKind;
import dev.hapax.client.internal.DetectedTraces;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.LeaseRenewed;
import dev.hapax.v1.Payload;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tasks of a worker: receives them, renews them together, and knows those in progress. */
final class Tasks implements Polling.Fetch {

  private static final Logger log = LoggerFactory.getLogger(Tasks.class);
  private static final int MAX_DETAILS_OF_CALL = 512 * 1024;

  private final Connection connection;
  private final Worker.Builder settings;
  private final Executor executor;
  private final CodeChanges codeChanges;
  // one object, so that the renewals of all tasks share a call
  private final Renewals.Renewal renewal = this::renew;
  private final Set<String> received = Recent.set();

  // guarded by this
  private final Map<String, TaskWork> byClaim = new HashMap<>();
  private final Map<String, TaskWork> byStep = new HashMap<>();
  private boolean isDraining;
  private boolean isAbandoned;

  Tasks(Connection connection, Worker.Builder settings, Executor executor) {
    this.connection = connection;
    this.settings = settings;
    this.executor = executor;
    this.codeChanges = new CodeChanges(settings.onCodeChange());
  }

  @Override
  public List<TaskWork> fetch(Polling.Poll poll) {
    Answer<PollTasksResponse> answer =
        connection
            .calls()
            .send(
                PollTasksRequest.newBuilder()
                    .setWorkspace(connection.workspace())
                    .addAllQueues(settings.queues())
                    .setWorkerId(settings.workerId())
                    .setAttemptId(poll.attemptId())
                    .setMaxTasks(poll.room())
                    .setWait(ProtoTimes.toProto(poll.held()))
                    .build(),
                PollTasksResponse.getDefaultInstance(),
                poll.budget());
    return answer.message().getTasksList().stream()
        .map(task -> take(task, answer, null))
        .filter(Objects::nonNull)
        .toList();
  }

  @Override
  public void slotsChanged(int busy, int free) {
    connection.observer().slotsChanged(busy, free);
  }

  /**
   * Takes a task that was received, from any source. Its lease is renewed from now on.
   *
   * @param answer brought it
   * @param before has its slot, and is about to end
   * @return null = it was received before, or this worker has stopped
   */
  @Nullable TaskWork take(dev.hapax.v1.Task task, Answer<?> answer, @Nullable TaskWork before) {
    TaskWork former;
    TaskWork work;
    synchronized (this) {
      String id = task.getClaim().getId();
      if (isAbandoned || byClaim.containsKey(id) || !received.add(id)) {
        log.warn("task {} is ignored: it was received before, or the worker has stopped", id);
        return null;
      }
      former = byStep.get(task.getStep().getId());
      former = Objects.equals(former, before) ? null : former;
      work = new TaskWork(this, task, answer, former);
      byClaim.put(work.claim().id(), work);
      byStep.put(task.getStep().getId(), work);
    }
    connection.renewals().hold(work.claim(), renewal);
    if (former != null) {
      former.claim().lease().overtaken();
    }
    return work;
  }

  /** Forgets a task that has ended, or is left to its lease. */
  void release(TaskWork work, TaskKind kind) {
    connection.renewals().release(work.claim());
    synchronized (this) {
      byClaim.remove(work.claim().id(), work);
      byStep.remove(work.message().getStep().getId(), work);
    }
    connection
        .observer()
        .worked(
            work.message().getRun().getDefinition(),
            work.message().getStep().getName(),
            kind,
            Duration.ofNanos(connection.calls().timing().nanos() - work.receivedAt()));
  }

  /** Requests no next tasks of runs. */
  synchronized void drain() {
    isDraining = true;
  }

  synchronized boolean wantsNext() {
    return !isDraining;
  }

  /** Gives up the tasks in progress: no more renewals, and no more results. */
  void abandon() {
    List<TaskWork> left;
    synchronized (this) {
      isAbandoned = true;
      left = List.copyOf(byClaim.values());
    }
    for (TaskWork work : left) {
      connection.renewals().release(work.claim());
      work.claim().lease().revoke(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    }
  }

  /** Stores details that no renewal has sent yet. */
  void sendDetails(Claim claim) {
    if (!claim.details().unsent().equals(Details.NONE)) {
      var unused = renewal.send(List.of(claim)).join();
    }
  }

  private CompletableFuture<?> renew(List<Claim> due) {
    HeartbeatTasksRequest.Builder request =
        HeartbeatTasksRequest.newBuilder().setWorkspace(connection.workspace());
    due.forEach(claim -> request.addClaims(claim.message()));
    List<Payload> details = details(due);
    if (details.stream().anyMatch(each -> !each.equals(Details.NONE))) {
      request.addAllDetails(details);
    }
    return connection
        .calls()
        .start(
            request.build(), HeartbeatTasksResponse.getDefaultInstance(), Lease.renewalTimeout(due))
        .handle(
            (answer, error) -> {
              renewed(due, details, answer, error);
              return null;
            });
  }

  /** What is too much for a request goes with a later one. */
  private static List<Payload> details(List<Claim> due) {
    List<Payload> details = new ArrayList<>();
    int bytes = 0;
    for (Claim claim : due) {
      Payload unsent = claim.details().unsent();
      bytes += unsent.getSerializedSize();
      details.add(bytes > MAX_DETAILS_OF_CALL ? Details.NONE : unsent);
    }
    return details;
  }

  private static void renewed(
      List<Claim> due,
      List<Payload> details,
      @Nullable Answer<HeartbeatTasksResponse> answer,
      @Nullable Throwable error) {
    if (answer == null || answer.message().getResultsCount() != due.size()) {
      log.debug("the renewal of {} tasks failed, will retry", due.size(), error);
      due.forEach(claim -> claim.lease().notRenewed());
      return;
    }
    for (int i = 0; i < due.size(); i++) {
      Lease lease = due.get(i).lease();
      HeartbeatTasksResponse.Result result = answer.message().getResults(i);
      switch (result.getOutcomeCase()) {
        case RENEWED -> {
          due.get(i).details().stored(details.get(i));
          renewed(lease, answer, result.getRenewed());
        }
        case CLAIM_LOST -> lease.revoke(result.getClaimLost().getReason());
        case OUTCOME_NOT_SET -> lease.notRenewed();
      }
    }
  }

  private static void renewed(Lease lease, Answer<?> answer, LeaseRenewed renewed) {
    Duration remaining = ProtoTimes.toJava(renewed.getLeaseRemaining());
    if (renewed.hasAttemptRemaining()) {
      lease.renewed(answer, remaining, ProtoTimes.toJava(renewed.getAttemptRemaining()));
    } else {
      lease.renewed(answer, remaining);
    }
  }

  /** Runs the handler of a task in a span. */
  Result inSpan(Execution execution) throws Exception {
    Handler handler = settings.handler(execution.message());
    UnaryOperator<Handler> own = settings.spans();
    if (own == null) {
      return DetectedTraces.INSTANCE.inSpan(execution.message(), () -> execution.run(handler));
    }
    return execution.result(own.apply(task -> execution.run(handler)).handle(execution.task()));
  }

  Runnable lossListener() {
    return () -> connection.observer().lost(HolderKind.TASK);
  }

  Connection connection() {
    return connection;
  }

  Renewals.Renewal renewal() {
    return renewal;
  }

  Duration holdAtMost() {
    return settings.holdAtMost();
  }

  boolean interruptsWhenLost() {
    return settings.interruptsWhenLost();
  }

  Executor executor() {
    return executor;
  }

  CodeChanges codeChanges() {
    return codeChanges;
  }

  /** Null = the time of Hapax. */
  @Nullable Clock clock() {
    return settings.clock();
  }
}
