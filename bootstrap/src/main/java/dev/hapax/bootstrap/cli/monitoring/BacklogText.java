package dev.hapax.bootstrap.cli.monitoring;

import com.google.protobuf.Timestamp;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.cli.call.Table.Column;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.QueueState;
import dev.hapax.v1.WorkerState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Queues and workers as text, with ages relative to an instant. */
record BacklogText(Instant now) {
  private static final String NONE = "-";

  /** Counts are limited to this value. */
  private static final int LIMIT = 10_000;

  List<String> queues(List<QueueState> queues) {
    var table =
        Table.ofWidths(
            new Column("QUEUE", 24),
            new Column("READY", 6),
            new Column("OLDEST", 9),
            new Column("HELD", 6),
            new Column("POLLS HERE", 10));
    for (var queue : queues) {
      table.add(
          ValueFormat.line(queue.getQueue()),
          number(queue.getReady()),
          queue.hasOldestReadyAt() ? ago(queue.getOldestReadyAt()) : NONE,
          number(queue.getHeld()),
          Long.toString(queue.getPollsWaiting()));
    }
    return table.lines();
  }

  List<String> workers(List<WorkerState> workers) {
    var table =
        Table.ofWidths(
            new Column("WORKER", 24),
            new Column("HELD", 6),
            new Column("LAST POLL HERE", 14),
            new Column("POLLS HERE", 10),
            new Column("QUEUES", 24));
    for (var worker : workers) {
      table.add(
          ValueFormat.line(worker.getWorkerId()),
          number(worker.getHeld()),
          worker.hasLastPolledAt() ? ago(worker.getLastPolledAt()) : NONE,
          Long.toString(worker.getPollsWaiting()),
          ValueFormat.line(ValueFormat.orDash(String.join(", ", worker.getQueuesList()))));
    }
    return table.lines();
  }

  private static String number(long counted) {
    return counted >= LIMIT ? LIMIT + "+" : Long.toString(counted);
  }

  private String ago(Timestamp time) {
    return ValueFormat.duration(Duration.between(ValueFormat.instant(time), now)) + " ago";
  }
}
