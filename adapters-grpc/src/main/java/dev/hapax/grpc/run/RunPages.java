package dev.hapax.grpc.run;

import dev.hapax.application.run.Runs;
import dev.hapax.domain.Page;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunFilter;
import dev.hapax.domain.run.RunReads.Query;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.ListRunsResponse;
import dev.hapax.v1.RunView;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** ListRuns on the wire. */
public final class RunPages {
  private RunPages() {}

  static CompletableFuture<ListRunsResponse> list(Runs runs, ListRunsRequest request) {
    var encode = encoding(request.getViewValue());
    return runs.list(query(request)).thenApply(page -> page(page, encode));
  }

  private static Query query(ListRunsRequest request) {
    return new Query(
        FieldReader.workspace(request.getWorkspace()),
        filter(request),
        FieldReader.read("page_size", request.getPageSize(), Page::size),
        position(request.getPageToken()));
  }

  private static RunFilter filter(ListRunsRequest request) {
    return new RunFilter(
        FieldReader.filter(
            "statuses",
            request.getStatusesValueList(),
            (field, sent) ->
                status(FieldReader.specified(field, sent, dev.hapax.v1.RunStatus::forNumber))
                    .orElseThrow()),
        FieldReader.filter("definitions", request.getDefinitionsList(), FieldReader::requiredName),
        RunStarts.labels(request.getLabelsMap()),
        FieldReader.optionalName("failure_code", request.getFailureCode()),
        new TimeRange(
            Durations.read("created_after", request.hasCreatedAfter(), request.getCreatedAfter()),
            Durations.read(
                "created_before", request.hasCreatedBefore(), request.getCreatedBefore())),
        new TimeRange(
            Durations.read("ended_after", request.hasEndedAfter(), request.getEndedAfter()),
            Durations.read("ended_before", request.hasEndedBefore(), request.getEndedBefore())));
  }

  /** What the field {@code status} restricts to. */
  public static Optional<RunStatus> status(int wire) {
    return status(FieldReader.known("status", wire, dev.hapax.v1.RunStatus::forNumber));
  }

  private static Optional<RunStatus> status(dev.hapax.v1.RunStatus wire) {
    return switch (wire) {
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

  private static Function<Run, dev.hapax.v1.Run> encoding(int view) {
    return switch (FieldReader.known("view", view, RunView::forNumber)) {
      case RUN_VIEW_UNSPECIFIED, RUN_VIEW_BASIC -> RunEncoding::summary;
      case RUN_VIEW_FULL -> RunEncoding::run;
      case UNRECOGNIZED -> throw new IllegalStateException("refused before");
    };
  }

  /** A page without runs leads to the next one, too. */
  static ListRunsResponse page(Page<Run, UUID> page, Function<Run, dev.hapax.v1.Run> encode) {
    var response = ListRunsResponse.newBuilder();
    var isAll =
        PageTokens.fill(
            page.items(),
            encode,
            (run, message) -> response.addRuns(message).setNextPageToken(token(run.id().uuid())));
    return isAll
        ? response.setNextPageToken(page.next().map(RunPages::token).orElse("")).build()
        : response.build();
  }

  public static Optional<UUID> position(String token) {
    return PageTokens.position(token, bytes -> new UUID(bytes.getLong(), bytes.getLong()));
  }

  /** What {@link #position} reads. */
  public static String token(UUID run) {
    return PageTokens.token(
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(run.getMostSignificantBits())
            .putLong(run.getLeastSignificantBits()));
  }
}
