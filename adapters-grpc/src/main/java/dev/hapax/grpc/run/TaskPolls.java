package dev.hapax.grpc.run;

import dev.hapax.application.run.PollRequest;
import dev.hapax.application.run.Task;
import dev.hapax.application.run.Tasks;
import dev.hapax.domain.Digest;
import dev.hapax.domain.Text;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Decodes and encodes PollTasks. */
record TaskPolls(Tasks tasks) {
  private static final int MAX_BYTES = 2 << 20;

  static PollRequest request(PollTasksRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    var queues = queues(request);
    var worker = FieldReader.requiredName("worker_id", request.getWorkerId());
    var attempt =
        FieldReader.optionalName("attempt_id", request.getAttemptId())
            // all workspaces share the memory of recent polls
            .map(sent -> Digest.sha256(workspace.name() + '/' + sent));
    return new PollRequest(
        workspace,
        queues,
        worker,
        attempt,
        FieldReader.pollSize("max_tasks", request.getMaxTasks(), PollRequest.MAX_TASKS),
        CallerReader.principal());
  }

  private static List<String> queues(PollTasksRequest request) {
    var count = request.getQueuesCount();
    if (count == 0 || count > PollRequest.MAX_QUEUES) {
      throw new InvalidFieldException(
          "queues",
          count == 0
              ? "is required"
              : String.format(
                  Locale.ROOT,
                  "has %d queues; at most %d are allowed",
                  count,
                  PollRequest.MAX_QUEUES));
    }
    var queues = new ArrayList<String>();
    for (var i = 0; i < count; i++) {
      queues.add(
          FieldReader.read(
              String.format(Locale.ROOT, "queues[%d]", i),
              request.getQueues(i),
              Text::requiredName));
    }
    return queues;
  }

  /** Encodes as many tasks as fit and releases the others for the next poll. */
  PollTasksResponse response(List<Task> granted) {
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
    // released last: if a task cannot be encoded, the caller of this method releases all of them
    releaseGrant(granted.subList(response.getTasksCount(), granted.size()));
    return response.build();
  }

  void releaseGrant(List<Task> granted) {
    granted.forEach(tasks::returnUndelivered);
  }
}
