package dev.hapax.grpc.run;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import dev.hapax.grpc.call.Fields;

/** Ids of runs in requests. */
final class RunIds {
  private RunIds() {}

  /** An id that is not one of ours names no run. */
  static RunId read(Workspace workspace, String sent) {
    return RunId.parse(workspace, Fields.requiredName("run_id", sent))
        .orElseThrow(RunErrors::notFound);
  }

  static RunId read(String workspace, String sent) {
    return read(Fields.workspace(workspace), sent);
  }
}
