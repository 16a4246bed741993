package dev.hapax.grpc.run;

import dev.hapax.application.run.PollRequest;
import dev.hapax.application.run.Task;
import dev.hapax.application.run.Tasks;
import dev.hapax.domain.Digest;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import java.util.List;

/** Decodes and encodes PollTasks. */
record TaskPolls(Tasks tasks) {
  private static final int MAX_BYTES = 2 << 20;

  static PollRequest request(PollTasksRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    var queues = request.getQueuesList();
    var worker = request.getWorkerId();
    var attempt =
        FieldReader.optional(request.getAttemptId())
            // all workspaces share the memory of recent polls
            .map(sent -> Digest.sha256(workspace.name() + '/' + sent));
    return new PollRequest(
        workspace,
        queues,
        worker,
        attempt,
        FieldReader.orOne(request.getMaxTasks()),
        CallerReader.principal());
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
