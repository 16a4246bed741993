package dev.hapax.grpc.run;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.v1.OnConflict;
import java.util.Optional;

/** Decodes the ids of runs. */
public final class RunIds {
  private RunIds() {}

  /** Decodes an id; a malformed one is reported as not found. */
  public static RunId read(Workspace workspace, String sent) {
    return RunId.parse(workspace, sent).orElseThrow(() -> RunErrors.notFoundBy(sent));
  }

  static RunId read(String workspace, String sent) {
    return read(FieldReader.workspace(workspace), sent);
  }

  /**
   * Decodes the run that SUPERSEDE may replace; empty = any owner of the token.
   *
   * @param path the path of its field
   */
  public static Optional<RunId> expectedOwner(
      String path, Workspace workspace, String sent, OnConflict policy) {
    var expected = FieldReader.optional(sent);
    if (expected.isPresent() && policy != OnConflict.ON_CONFLICT_SUPERSEDE) {
      throw new InvalidFieldException(path, "is only allowed with SUPERSEDE");
    }
    return expected.map(
        text ->
            RunId.parse(workspace, text)
                .orElseThrow(() -> new InvalidFieldException(path, "must be the id of a run")));
  }
}
