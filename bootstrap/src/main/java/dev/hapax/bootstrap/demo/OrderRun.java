package dev.hapax.bootstrap.demo;

import dev.hapax.client.HapaxClient;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.Channel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The run of an order, told by its history. */
final class OrderRun {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String SERVER = "Hapax";

  private final Channel hapax;
  private final DemoOutput screen;
  private final String id;
  private final List<RunEvent> told = new ArrayList<>();

  OrderRun(Channel hapax, DemoOutput screen, String id) {
    this.hapax = hapax;
    this.screen = screen;
    this.id = id;
  }

  /** Shows what has happened since it was told last. */
  void tell() {
    var request =
        ListRunEventsRequest.newBuilder()
            .setRunId(id)
            .setAfterVersion(told.isEmpty() ? 0 : told.getLast().getVersion());
    var events =
        RunServiceGrpc.newBlockingStub(hapax)
            .withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS)
            .listRunEvents(request.build())
            .getEventsList();
    events.forEach(this::tell);
    told.addAll(events);
  }

  private void tell(RunEvent event) {
    var attempt = event.getStepName() + ", attempt " + event.getAttempt();
    switch (event.getType()) {
      case RUN_EVENT_TYPE_STEP_STARTED ->
          screen.row(
              event.getActor(), attempt + ", begins", "fence " + event.getStepStarted().getFence());
      case RUN_EVENT_TYPE_STEP_COMPLETED ->
          screen.row(
              event.getActor(),
              attempt + ", ends",
              "stored: " + event.getStepCompleted().getOutput().getJson());
      case RUN_EVENT_TYPE_LEASE_LOST ->
          screen.row(SERVER, attempt + ", is over", "its lease has ended");
      case RUN_EVENT_TYPE_COMPLETED -> screen.row(SERVER, "the run is COMPLETED", "");
      default -> {
        // how it began has been shown
      }
    }
  }

  /** Sends the completion of a claim, and shows what came of it. */
  void completeLate(String worker, String claim, long fence) {
    var request =
        CompleteTaskRequest.newBuilder()
            .setClaim(Claim.newBuilder().setId(claim).setFence(fence))
            .build();
    var answer =
        WorkerServiceGrpc.newBlockingStub(hapax)
            .withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS)
            .completeTask(request);
    screen.row(worker, "charge, attempt 1, ends", said(answer));
  }

  private static String said(CompleteTaskResponse answer) {
    return answer.hasClaimLost()
        ? "refused: " + answer.getClaimLost().getReason().name().replace("CLAIM_LOST_REASON_", "")
        : "NOT refused";
  }

  /** Waits for its end. */
  void awaitEnd() throws IOException {
    var run = HapaxClient.on(hapax).runs().await(id, PATIENCE);
    if (!run.hasEndedAt()) {
      throw new IOException("the run did not end: " + run.getStatus());
    }
  }

  /** How often the result of each step was stored, by the history. */
  Map<String, Integer> stored() {
    var stored = new LinkedHashMap<String, Integer>();
    OrderWorker.STEPS.forEach(step -> stored.put(step, 0));
    told.stream()
        .filter(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED)
        .forEach(event -> stored.merge(event.getStepName(), 1, Integer::sum));
    return stored;
  }
}
