package dev.hapax.grpc.run;

import dev.hapax.application.run.Task;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One of the parallel sequences of polls of a stream. Guarded by {@link OpenPolls}. */
final class PollLane {
  final int number;

  /** The number of polls that were granted tasks; identifies the next poll. */
  int turn;

  /** The turn up to which tasks were written. */
  int written;

  /** Whether an earlier stream may have been granted the tasks of this turn. */
  boolean recovering;

  boolean busy;
  int places;
  @Nullable CompletableFuture<List<Task>> poll;

  PollLane(int number, int turn, boolean recovering) {
    this.number = number;
    this.turn = turn;
    this.written = turn;
    this.recovering = recovering;
  }
}
