package dev.hapax.bootstrap.demo;

import dev.hapax.client.Hapax;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prints a run of an order from its history. */
final class OrderRun {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String SERVER = "Hapax";

  private final Hapax hapax;
  private final DemoOutput screen;
  private final String id;
  private final List<RunEvent> printed = new ArrayList<>();

  OrderRun(Hapax hapax, DemoOutput screen, String id) {
    this.hapax = hapax;
    this.screen = screen;
    this.id = id;
  }

  /** Prints the events since the last call. */
  void printNewEvents() {
    var request =
        ListRunEventsRequest.newBuilder()
            .setRunId(id)
            .setAfterVersion(printed.isEmpty() ? 0 : printed.getLast().getVersion());
    var events =
        hapax.call(request.build(), ListRunEventsResponse.getDefaultInstance()).getEventsList();
    events.forEach(this::tell);
    printed.addAll(events);
  }

  private void tell(RunEvent event) {
    var attempt = event.getStepName() + ", attempt " + event.getAttempt();
    switch (event.getType()) {
      case RUN_EVENT_TYPE_STEP_STARTED ->
          screen.row(
              event.getActor(), attempt + " starts", "fence " + event.getStepStarted().getFence());
      case RUN_EVENT_TYPE_STEP_COMPLETED ->
          screen.row(
              event.getActor(),
              attempt + " completes",
              "stored: " + event.getStepCompleted().getOutput().getJson());
      case RUN_EVENT_TYPE_LEASE_LOST ->
          screen.row(SERVER, attempt + " is lost", "its lease expired");
      case RUN_EVENT_TYPE_COMPLETED -> screen.row(SERVER, "the run is COMPLETED", "");
      default -> {
        // the start is already printed
      }
    }
  }

  /** Sends a completion for a claim and prints the answer. */
  void completeLate(String worker, String claim, long fence) {
    var request =
        CompleteTaskRequest.newBuilder()
            .setClaim(Claim.newBuilder().setId(claim).setFence(fence))
            .build();
    var answer = hapax.call(request, CompleteTaskResponse.getDefaultInstance());
    screen.row(worker, "charge, attempt 1 completes", outcome(answer));
  }

  private static String outcome(CompleteTaskResponse answer) {
    return answer.hasClaimLost()
        ? "rejected: " + answer.getClaimLost().getReason().name().replace("CLAIM_LOST_REASON_", "")
        : "NOT rejected";
  }

  /** Waits until the run ends. */
  void awaitEnd() throws IOException {
    var run = hapax.runs().await(id, TIMEOUT);
    if (!run.hasEnded()) {
      throw new IOException("the run did not end: " + run.status());
    }
  }

  /** Returns how often the result of each step was stored. */
  Map<String, Integer> stored() {
    var stored = new LinkedHashMap<String, Integer>();
    OrderWorker.STEPS.forEach(step -> stored.put(step, 0));
    printed.stream()
        .filter(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED)
        .forEach(event -> stored.merge(event.getStepName(), 1, Integer::sum));
    return stored;
  }
}
