package dev.hapax.grpc.run;

import dev.hapax.application.run.Task;
import dev.hapax.grpc.call.StreamPart;
import dev.hapax.v1.WorkResponse;
import java.util.ArrayList;
import java.util.List;

/** The tasks that one poll of a stream was granted, to be sent to the worker. */
final class StreamedTasks implements StreamPart<WorkResponse.Builder> {
  private static final int MAX_BYTES = 2 << 20;

  private final OpenPolls polls;
  private final PollLane lane;
  private final int turn;
  private final long pollNanos;
  private List<Task> tasks;

  /**
   * Makes a part with all tasks of a poll.
   *
   * @param turn the turn of the next poll in this lane
   * @param pollNanos the start of the poll, from which its leases are counted
   */
  StreamedTasks(OpenPolls polls, PollLane lane, int turn, long pollNanos, List<Task> tasks) {
    this.polls = polls;
    this.lane = lane;
    this.turn = turn;
    this.pollNanos = pollNanos;
    this.tasks = tasks;
  }

  /** Adds the tasks that fit and releases the others. */
  @Override
  public int addTo(WorkResponse.Builder message) {
    var clock = polls.clockOf(message);
    var encoded = new ArrayList<dev.hapax.v1.Task>();
    var bytes = 0;
    try {
      for (var task : tasks) {
        var each = TaskEncoding.task(task, clock.lease(task.leaseRemaining(), pollNanos));
        if (bytes + each.getSerializedSize() > MAX_BYTES && !encoded.isEmpty()) {
          break;
        }
        bytes += each.getSerializedSize();
        encoded.add(each);
      }
    } catch (RuntimeException e) {
      drop();
      polls.failed(e);
      return 0;
    }
    var unsent = tasks.subList(encoded.size(), tasks.size());
    tasks = tasks.subList(0, encoded.size());
    message.addAllTasks(encoded).setClock(clock.sent()).setResumeToken(polls.written(lane, turn));
    if (!unsent.isEmpty()) {
      polls.releaseGrants(unsent);
      polls.fill();
    }
    return bytes;
  }

  @Override
  public void drop() {
    var unsent = tasks;
    tasks = List.of();
    polls.releaseGrants(unsent);
  }
}
