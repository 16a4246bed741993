package dev.hapax.grpc.run;

import dev.hapax.application.run.Task;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The polls of a stream that follow one another. Guarded by {@link OpenPolls}. */
final class PollLane {
  final int number;

  /** Of the next poll: how many before it brought tasks. */
  int turn;

  /** Up to which turn the tasks were written. */
  int written;

  /** Whether the tasks of this turn may have been granted on a former stream. */
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
