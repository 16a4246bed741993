package dev.hapax.grpc.run;

import dev.hapax.application.run.Runs;
import dev.hapax.application.run.StepView;
import dev.hapax.domain.Page;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunEvent;
import dev.hapax.grpc.call.HistoryViews;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.ListStepsResponse;
import dev.hapax.v1.Step;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Serves ListRunEvents and ListSteps. */
record HistoryPages(Runs runs) {

  /**
   * A page of events.
   *
   * @param run at least as new as the events
   * @param view reduces an event
   */
  record Events(Run run, Page<RunEvent, Long> page, UnaryOperator<dev.hapax.v1.RunEvent> view) {
    ListRunEventsResponse response() {
      var encoding = new EventEncoding(run);
      var response = ListRunEventsResponse.newBuilder();
      var isAll =
          PageTokens.fill(
              page.items(),
              event -> view.apply(encoding.event(event)),
              (event, message) ->
                  response.addEvents(message).setNextPageToken(PageTokens.token(event.version())));
      return isAll && page.next().isEmpty()
          ? response.clearNextPageToken().build()
          : response.build();
    }
  }

  /**
   * A page of steps.
   *
   * @param from the position of the first
   * @param steps one more than the size if there is another page
   * @param view reduces a step
   */
  record Steps(Run run, List<StepView> steps, int from, int size, UnaryOperator<Step> view) {
    ListStepsResponse response() {
      var encoding = new StepEncoding(run);
      var response = ListStepsResponse.newBuilder();
      var isAll =
          PageTokens.fill(
              steps.subList(0, Math.min(size, steps.size())),
              step -> view.apply(encoding.step(step)),
              (_, message) -> response.addSteps(message));
      return isAll && steps.size() <= size
          ? response.build()
          : response.setNextPageToken(PageTokens.token(from + response.getStepsCount())).build();
    }
  }

  CompletableFuture<Events> events(ListRunEventsRequest request) {
    var id = RunIds.read(request.getWorkspace(), request.getRunId());
    var size = Page.size(request.getPageSize());
    var after = Math.max(request.getAfterVersion(), PageTokens.number(request.getPageToken()));
    var view = HistoryViews.<dev.hapax.v1.RunEvent>read(request.getView());
    // the run is read last, so that it is not older than its events
    return runs.events(id, after, size)
        .thenCompose(
            page ->
                runs.find(id)
                    .thenApply(found -> new Events(RunErrors.required(id, found), page, view)));
  }

  CompletableFuture<Steps> steps(ListStepsRequest request) {
    var id = RunIds.read(request.getWorkspace(), request.getRunId());
    var size = Page.size(request.getPageSize());
    var from =
        Math.toIntExact(Math.min(PageTokens.number(request.getPageToken()), Run.MAX_EVENTS * 2));
    var view = HistoryViews.<Step>read(request.getView());
    return runs.find(id)
        .thenApply(found -> RunErrors.required(id, found))
        .thenCompose(
            run ->
                runs.steps(run, from, size + 1)
                    .thenApply(steps -> new Steps(run, steps, from, size, view)));
  }
}
