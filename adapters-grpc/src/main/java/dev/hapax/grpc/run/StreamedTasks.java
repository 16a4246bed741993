package dev.hapax.grpc.run;

import dev.hapax.application.run.Task;
import dev.hapax.grpc.call.StreamPart;
import dev.hapax.v1.WorkResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

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

  /** Adds the tasks that fit and releases the others, and those whose leases have expired. */
  @Override
  public int addTo(WorkResponse.Builder message) {
    var clock = polls.clockOf(message);
    releaseExpired();
    var encoded = new ArrayList<dev.hapax.v1.Task>();
    var bytes = 0;
    try {
      for (var task : tasks) {
        var each = TaskEncoding.task(task, left -> clock.lease(left, pollNanos));
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

  /** Another worker may have got them, while this one was slow to read. */
  private void releaseExpired() {
    var age = Duration.ofNanos(System.nanoTime() - pollNanos);
    var byExpiry =
        tasks.stream()
            .collect(Collectors.partitioningBy(task -> task.leaseRemaining().compareTo(age) <= 0));
    tasks = byExpiry.getOrDefault(false, List.of());
    var expired = byExpiry.getOrDefault(true, List.of());
    if (!expired.isEmpty()) {
      polls.releaseGrants(expired);
      polls.fill();
    }
  }

  @Override
  public void drop() {
    var unsent = tasks;
    tasks = List.of();
    polls.releaseGrants(unsent);
  }
}
