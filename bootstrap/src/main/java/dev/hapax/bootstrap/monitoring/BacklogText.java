package dev.hapax.bootstrap.monitoring;

import com.google.protobuf.Timestamp;
import dev.hapax.bootstrap.remote.Shown;
import dev.hapax.bootstrap.remote.Table;
import dev.hapax.v1.QueueState;
import dev.hapax.v1.WorkerState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Queues and workers for people, as of a moment. */
record BacklogText(Instant now) {
  private static final String NONE = "-";

  /** Counting stops here. */
  private static final int LIMIT = 10_000;

  List<String> queues(List<QueueState> queues) {
    var table = new Table("QUEUE", "READY", "OLDEST", "HELD", "POLLS HERE");
    for (var queue : queues) {
      table.add(
          Shown.line(queue.getQueue()),
          number(queue.getReady()),
          queue.hasOldestReadyAt() ? ago(queue.getOldestReadyAt()) : NONE,
          number(queue.getHeld()),
          Long.toString(queue.getPollsWaiting()));
    }
    return table.lines();
  }

  List<String> workers(List<WorkerState> workers) {
    var table = new Table("WORKER", "HELD", "LAST POLL HERE", "POLLS HERE", "QUEUES");
    for (var worker : workers) {
      table.add(
          Shown.line(worker.getWorkerId()),
          number(worker.getHeld()),
          worker.hasLastPolledAt() ? ago(worker.getLastPolledAt()) : NONE,
          Long.toString(worker.getPollsWaiting()),
          Shown.line(Shown.orDash(String.join(", ", worker.getQueuesList()))));
    }
    return table.lines();
  }

  private static String number(long counted) {
    return counted >= LIMIT ? LIMIT + "+" : Long.toString(counted);
  }

  private String ago(Timestamp time) {
    return Shown.duration(Duration.between(Shown.instant(time), now)) + " ago";
  }
}
