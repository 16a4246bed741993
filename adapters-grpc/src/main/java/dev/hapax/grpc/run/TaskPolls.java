package dev.hapax.grpc.run;

import dev.hapax.application.run.PollRequest;
import dev.hapax.application.run.Task;
import dev.hapax.application.run.Tasks;
import dev.hapax.application.waiting.PollPace;
import dev.hapax.domain.Digest;
import dev.hapax.domain.Text;
import dev.hapax.domain.operation.OperationLimits;
import dev.hapax.grpc.call.Call;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import java.util.ArrayList;
import java.util.List;

/** PollTasks on the wire. */
record TaskPolls(Tasks tasks) {
  private static final int MAX_BYTES = 2 << 20;

  static PollRequest request(PollTasksRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    var queues = queues(request);
    var worker = FieldReader.requiredName("worker_id", request.getWorkerId());
    var attempt =
        FieldReader.optionalName("attempt_id", request.getAttemptId())
            // polls are remembered for all workspaces together
            .map(sent -> Digest.sha256(workspace.name() + '/' + sent));
    return new PollRequest(workspace, queues, worker, attempt, atMost(request.getMaxTasks()));
  }

  static PollPace.Wait wait(PollTasksRequest request) {
    var asked =
        Durations.read(
            "wait",
            request.hasWait(),
            request.getWait(),
            OperationLimits.DEFAULT_WAIT,
            OperationLimits::waitTime);
    return new PollPace.Wait(Call.withinDeadline(asked), Call.withinDeadline(PollPace.MAX_WAIT));
  }

  private static List<String> queues(PollTasksRequest request) {
    var count = request.getQueuesCount();
    if (count == 0 || count > PollRequest.MAX_QUEUES) {
      throw new InvalidFieldException(
          "queues",
          count == 0
              ? "is required"
              : "has %d queues; at most %d are allowed".formatted(count, PollRequest.MAX_QUEUES));
    }
    var queues = new ArrayList<String>();
    for (var i = 0; i < count; i++) {
      queues.add(
          FieldReader.read("queues[%d]".formatted(i), request.getQueues(i), Text::requiredName));
    }
    return queues;
  }

  private static int atMost(int asked) {
    if (asked < 0 || asked > PollRequest.MAX_TASKS) {
      throw new InvalidFieldException(
          "max_tasks", "must be between 1 and %d, or 0".formatted(PollRequest.MAX_TASKS));
    }
    return asked == 0 ? 1 : asked;
  }

  /** As many as fit; the others are free for the next poll. */
  PollTasksResponse answer(List<Task> granted) {
    var response = PollTasksResponse.newBuilder();
    var bytes = 0;
    for (var task : granted) {
      var message = TaskEncoding.task(task);
      bytes += message.getSerializedSize();
      if (bytes > MAX_BYTES && response.getTasksCount() > 0) {
        break;
      }
      response.addTasks(message);
    }
    // only now: a task that cannot be encoded gives all of them back
    giveBack(granted.subList(response.getTasksCount(), granted.size()));
    return response.build();
  }

  void giveBack(List<Task> granted) {
    granted.forEach(tasks::returnUndelivered);
  }
}
