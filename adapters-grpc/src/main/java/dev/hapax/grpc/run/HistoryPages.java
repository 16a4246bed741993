package dev.hapax.grpc.run;

import dev.hapax.application.run.Runs;
import dev.hapax.application.run.StepView;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Page;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.ListStepsResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** ListRunEvents and ListSteps on the wire. */
record HistoryPages(Runs runs) {

  CompletableFuture<ListRunEventsResponse> events(ListRunEventsRequest request) {
    var id = RunIds.read(request.getWorkspace(), request.getRunId());
    var size = FieldReader.read("page_size", request.getPageSize(), Page::size);
    var after =
        Math.max(
            FieldReader.version("after_version", request.getAfterVersion()),
            position(request.getPageToken()));
    // in this order: the run is not older than its events then
    return runs.events(id, after, size)
        .thenCompose(
            page -> runs.find(id).thenApply(found -> events(RunErrors.required(found), page)));
  }

  private static ListRunEventsResponse events(Run run, Page<RunEvent, Long> page) {
    var encoding = new EventEncoding(run);
    var response = ListRunEventsResponse.newBuilder();
    var isAll =
        PageTokens.fill(
            page.items(),
            encoding::event,
            (event, message) ->
                response.addEvents(message).setNextPageToken(token(event.version())));
    return isAll && page.next().isEmpty()
        ? response.clearNextPageToken().build()
        : response.build();
  }

  CompletableFuture<ListStepsResponse> steps(ListStepsRequest request) {
    var id = RunIds.read(request.getWorkspace(), request.getRunId());
    var size = FieldReader.read("page_size", request.getPageSize(), Page::size);
    var from = Math.toIntExact(Math.min(position(request.getPageToken()), Run.MAX_EVENTS * 2));
    return runs.find(id)
        .thenApply(RunErrors::required)
        .thenCompose(
            run ->
                // one more tells whether there is another page
                runs.steps(run, from, size + 1).thenApply(steps -> steps(run, steps, from, size)));
  }

  private static ListStepsResponse steps(Run run, List<StepView> steps, int from, int size) {
    var encoding = new StepEncoding(run);
    var response = ListStepsResponse.newBuilder();
    var isAll =
        PageTokens.fill(
            steps.subList(0, Math.min(size, steps.size())),
            encoding::step,
            (_, message) -> response.addSteps(message));
    return isAll && steps.size() <= size
        ? response.build()
        : response.setNextPageToken(token(from + response.getStepsCount())).build();
  }

  private static String token(long position) {
    return PageTokens.token(ByteBuffer.allocate(Long.BYTES).putLong(position));
  }

  private static long position(String token) {
    return PageTokens.position(token, HistoryPages::place).orElse(0L);
  }

  private static long place(ByteBuffer token) {
    var position = token.getLong();
    if (position < 0) {
      throw new InvalidValueException("is before the first");
    }
    return position;
  }
}
