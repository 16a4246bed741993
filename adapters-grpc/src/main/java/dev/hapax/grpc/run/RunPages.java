package dev.hapax.grpc.run;

import dev.hapax.domain.Page;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunReads.Query;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Fields;
import dev.hapax.grpc.call.Pages;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.ListRunsResponse;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;

/** ListRuns on the wire. */
public final class RunPages {
  private RunPages() {}

  static Query query(ListRunsRequest request) {
    return new Query(
        Fields.workspace(request.getWorkspace()),
        status(request.getStatusValue()),
        Fields.optionalName("definition", request.getDefinition()),
        RunStarts.labels(request.getLabelsMap()),
        request.hasCreatedAfter()
            ? Optional.of(Durations.read("created_after", request.getCreatedAfter()))
            : Optional.empty(),
        request.hasCreatedBefore()
            ? Optional.of(Durations.read("created_before", request.getCreatedBefore()))
            : Optional.empty(),
        Fields.read("page_size", request.getPageSize(), Page::size),
        position(request.getPageToken()));
  }

  /** What the field {@code status} restricts to. */
  public static Optional<RunStatus> status(int wire) {
    return switch (Fields.known("status", wire, dev.hapax.v1.RunStatus::forNumber)) {
      case RUN_STATUS_UNSPECIFIED -> Optional.empty();
      case RUN_STATUS_PENDING -> Optional.of(RunStatus.PENDING);
      case RUN_STATUS_RUNNING -> Optional.of(RunStatus.RUNNING);
      case RUN_STATUS_WAITING -> Optional.of(RunStatus.WAITING);
      case RUN_STATUS_PAUSED -> Optional.of(RunStatus.PAUSED);
      case RUN_STATUS_COMPLETED -> Optional.of(RunStatus.COMPLETED);
      case RUN_STATUS_FAILED -> Optional.of(RunStatus.FAILED);
      case RUN_STATUS_CANCELLED -> Optional.of(RunStatus.CANCELLED);
      case UNRECOGNIZED -> throw new IllegalStateException("refused before");
    };
  }

  static ListRunsResponse page(Page<Run, UUID> page) {
    var response = ListRunsResponse.newBuilder();
    var isAll =
        Pages.fill(
            page.items(),
            RunEncoding::summary,
            (run, summary) -> response.addRuns(summary).setNextPageToken(token(run.id().uuid())));
    return isAll && page.next().isEmpty()
        ? response.clearNextPageToken().build()
        : response.build();
  }

  public static Optional<UUID> position(String token) {
    return Pages.position(token, bytes -> new UUID(bytes.getLong(), bytes.getLong()));
  }

  /** What {@link #position} reads. */
  public static String token(UUID run) {
    return Pages.token(
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(run.getMostSignificantBits())
            .putLong(run.getLeastSignificantBits()));
  }
}
