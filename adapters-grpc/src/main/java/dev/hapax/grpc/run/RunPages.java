package dev.hapax.grpc.run;

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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Decodes and encodes ListRuns. */
public final class RunPages {
  private RunPages() {}

  /**
   * A decoded request.
   *
   * @param encode encodes a run as the requested view
   */
  record Request(Query query, Function<Run, dev.hapax.v1.Run> encode) {
    ListRunsResponse response(Page<Run, UUID> page) {
      return page(page, encode);
    }
  }

  static Request read(ListRunsRequest request) {
    var encode = encoding(request.getView());
    return new Request(query(request), encode);
  }

  private static Query query(ListRunsRequest request) {
    return new Query(
        FieldReader.workspace(request.getWorkspace()),
        filter(request),
        Page.size(request.getPageSize()),
        position(request.getPageToken()));
  }

  private static RunFilter filter(ListRunsRequest request) {
    return new RunFilter(
        statuses(request.getStatusesList()),
        Set.copyOf(request.getDefinitionsList()),
        request.getLabelsMap(),
        FieldReader.optional(request.getFailureCode()),
        false,
        new TimeRange(
            Durations.decode(request.hasCreatedAfter(), request.getCreatedAfter()),
            Durations.decode(request.hasCreatedBefore(), request.getCreatedBefore())),
        new TimeRange(
            Durations.decode(request.hasEndedAfter(), request.getEndedAfter()),
            Durations.decode(request.hasEndedBefore(), request.getEndedBefore())));
  }

  /** Decodes the filter {@code statuses}; empty = every status. */
  public static Set<RunStatus> statuses(List<dev.hapax.v1.RunStatus> sent) {
    return sent.stream().map(RunPages::status).collect(Collectors.toSet());
  }

  private static RunStatus status(dev.hapax.v1.RunStatus wire) {
    return switch (wire) {
      case RUN_STATUS_PENDING -> RunStatus.PENDING;
      case RUN_STATUS_RUNNING -> RunStatus.RUNNING;
      case RUN_STATUS_WAITING -> RunStatus.WAITING;
      case RUN_STATUS_PAUSED -> RunStatus.PAUSED;
      case RUN_STATUS_COMPLETED -> RunStatus.COMPLETED;
      case RUN_STATUS_FAILED -> RunStatus.FAILED;
      case RUN_STATUS_CANCELLED -> RunStatus.CANCELLED;
      case RUN_STATUS_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalStateException("rejected before");
    };
  }

  private static Function<Run, dev.hapax.v1.Run> encoding(RunView view) {
    return switch (view) {
      case RUN_VIEW_UNSPECIFIED, RUN_VIEW_BASIC -> RunEncoding::summary;
      case RUN_VIEW_FULL -> RunEncoding::run;
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  /** Encodes a page. It may have no runs and still have a next page. */
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

  /** Encodes a position, which {@link #position} decodes. */
  public static String token(UUID run) {
    return PageTokens.token(
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(run.getMostSignificantBits())
            .putLong(run.getLeastSignificantBits()));
  }
}
