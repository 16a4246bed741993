package dev.hapax.client;

import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
import dev.hapax.v1.WorkerServiceGrpc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the leases of a worker alive: at a third of each, those nearly due in the same call. */
final class Heartbeats {

  private static final Logger log = LoggerFactory.getLogger(Heartbeats.class);
  private static final int MAX_CLAIMS = 500;
  private static final long LONGEST_TRY = Duration.ofSeconds(5).toNanos();
  private static final long SHORTEST_TRY = Duration.ofMillis(20).toNanos();

  private final Wire wire;
  private final Timing timing;
  private final String workspace;
  private final Set<TaskLease> kept = new LinkedHashSet<>();
  private Timing.@Nullable Timer timer;
  private long armedFor;

  Heartbeats(Wire wire, Timing timing, String workspace) {
    this.wire = wire;
    this.timing = timing;
    this.workspace = workspace;
  }

  synchronized void keep(TaskLease lease) {
    kept.add(lease);
    arm(lease.dueIn(timing.nanos()));
  }

  synchronized void release(TaskLease lease) {
    kept.remove(lease);
  }

  /** What is lost meanwhile is told by the clock, here at the latest. */
  private void tick() {
    List<TaskLease> all;
    synchronized (this) {
      timer = null;
      all = List.copyOf(kept);
    }
    long now = timing.nanos();
    List<TaskLease> due = new ArrayList<>();
    for (TaskLease lease : all) {
      if (lease.beginBeat(now)) {
        due.add(lease);
      }
    }
    for (int from = 0; from < due.size(); from += MAX_CLAIMS) {
      beat(due.subList(from, Math.min(due.size(), from + MAX_CLAIMS)));
    }
    all.forEach(TaskLease::isLost);
    arm();
  }

  private void beat(List<TaskLease> due) {
    HeartbeatTasksRequest.Builder request =
        HeartbeatTasksRequest.newBuilder().setWorkspace(workspace);
    long timeout = LONGEST_TRY;
    for (TaskLease lease : due) {
      request.addClaims(lease.claim());
      timeout = Math.min(timeout, lease.length() / 3);
    }
    Duration patience = Duration.ofNanos(Math.max(SHORTEST_TRY, timeout));
    var unused =
        wire.sendOnce(WorkerServiceGrpc.getHeartbeatTasksMethod(), request.build(), patience)
            .whenComplete((answer, error) -> answered(due, answer, error));
  }

  private void answered(
      List<TaskLease> due,
      Wire.@Nullable Answer<HeartbeatTasksResponse> answer,
      @Nullable Throwable error) {
    if (answer == null || answer.response().getResultsCount() != due.size()) {
      log.debug("{} tasks could not be renewed yet", due.size(), error);
      due.forEach(TaskLease::notRenewed);
    } else {
      for (int i = 0; i < due.size(); i++) {
        renewed(due.get(i), answer, answer.response().getResults(i));
      }
    }
    arm();
  }

  private static void renewed(
      TaskLease lease, Wire.Answer<?> answer, HeartbeatTasksResponse.Result result) {
    switch (result.getOutcomeCase()) {
      case LEASE_REMAINING -> lease.renewed(answer, WireTimes.toJava(result.getLeaseRemaining()));
      case CLAIM_LOST -> lease.take(result.getClaimLost().getReason());
      case OUTCOME_NOT_SET -> lease.notRenewed();
    }
  }

  private synchronized void arm() {
    long now = timing.nanos();
    long soonest = TaskLease.NEVER;
    for (TaskLease lease : kept) {
      soonest = Math.min(soonest, lease.dueIn(now));
    }
    arm(soonest);
  }

  private synchronized void arm(long delay) {
    if (delay == TaskLease.NEVER) {
      return;
    }
    long when = timing.nanos() + Math.max(0, delay);
    if (timer != null) {
      if (armedFor - when <= 0) {
        return;
      }
      timer.cancel();
    }
    armedFor = when;
    timer = timing.after(Duration.ofNanos(Math.max(0, delay)), this::tick);
  }
}
