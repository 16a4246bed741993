package dev.hapax.bootstrap.cli.monitoring;

import dev.hapax.bootstrap.cli.call.Columns;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.QueueState;
import dev.hapax.v1.WorkerState;

/** Queues and workers as text. */
final class BacklogText {
  private static final String NONE = "-";

  /** Counts are limited to this value. */
  private static final int LIMIT = 10_000;

  static final Columns<QueueState> QUEUES =
      Columns.<QueueState>of("QUEUE", 24, queue -> ValueFormat.line(queue.getQueue()))
          .add("READY", 6, queue -> number(queue.getReady()))
          .addAged(
              "OLDEST",
              9,
              (queue, now) ->
                  queue.hasOldestReadyAt() ? ValueFormat.ago(queue.getOldestReadyAt(), now) : NONE)
          .add("HELD", 6, queue -> number(queue.getHeld()))
          .add("POLLS HERE", 10, queue -> Long.toString(queue.getPollsWaiting()));

  static final Columns<WorkerState> WORKERS =
      Columns.<WorkerState>of("WORKER", 24, worker -> ValueFormat.line(worker.getWorkerId()))
          .add("HELD", 6, worker -> number(worker.getHeld()))
          .addAged(
              "LAST POLL HERE",
              14,
              (worker, now) ->
                  worker.hasLastPolledAt() ? ValueFormat.ago(worker.getLastPolledAt(), now) : NONE)
          .add("POLLS HERE", 10, worker -> Long.toString(worker.getPollsWaiting()))
          .add("QUEUES", 24, worker -> ValueFormat.list(worker.getQueuesList()));

  private BacklogText() {}

  private static String number(long counted) {
    return counted >= LIMIT ? LIMIT + "+" : Long.toString(counted);
  }
}
