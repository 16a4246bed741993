package dev.hapax.client;

import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.AwaitIntentResponse;
import dev.hapax.v1.Intent;
import dev.hapax.v1.IntentServiceGrpc;
import dev.hapax.v1.IntentState;
import dev.hapax.v1.ListIntentsRequest;
import dev.hapax.v1.ListIntentsResponse;
import dev.hapax.v1.NudgeIntentsRequest;
import dev.hapax.v1.NudgeIntentsResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Intents in memory; a call returns at once, as after its wait. */
public final class FakeIntents extends IntentServiceGrpc.IntentServiceImplBase {

  private final Faults faults;
  private final Map<String, Intent> intents = new LinkedHashMap<>();
  private final List<Object> requests = new ArrayList<>();
  private Runnable onAwait = () -> {};

  FakeIntents(Faults faults) {
    this.faults = faults;
  }

  public synchronized void put(Intent intent) {
    intents.put(intent.getTicket(), intent);
  }

  /** Runs before each AwaitIntent is answered. */
  public synchronized void onAwait(Runnable task) {
    onAwait = task;
  }

  /** Every request of this type, oldest first. */
  public synchronized <Q> List<Q> requests(Class<Q> type) {
    return requests.stream().filter(type::isInstance).map(type::cast).toList();
  }

  @Override
  public void nudgeIntents(
      NudgeIntentsRequest request, StreamObserver<NudgeIntentsResponse> answer) {
    faults.serve(
        "nudge",
        answer,
        reply -> {
          record(request);
          reply.accept(NudgeIntentsResponse.getDefaultInstance());
        });
  }

  @Override
  public void awaitIntent(AwaitIntentRequest request, StreamObserver<AwaitIntentResponse> answer) {
    faults.serve(
        "awaitIntent",
        answer,
        reply -> {
          record(request);
          onAwait.run();
          Intent intent = intents.get(request.getTicket());
          if (intent == null) {
            throw Status.NOT_FOUND.withDescription("no such intent").asRuntimeException();
          }
          reply.accept(AwaitIntentResponse.newBuilder().setIntent(intent).build());
        });
  }

  @Override
  public void listIntents(ListIntentsRequest request, StreamObserver<ListIntentsResponse> answer) {
    faults.serve("listIntents", answer, reply -> reply.accept(list(request)));
  }

  /** Pages of one intent each; the token is the number of those before. */
  private synchronized ListIntentsResponse list(ListIntentsRequest request) {
    requests.add(request);
    boolean failed = request.getState() == IntentState.INTENT_STATE_FAILED;
    List<Intent> all =
        intents.values().stream()
            .filter(intent -> failed ? intent.hasError() : !intent.hasTakenAt())
            .toList();
    int at = request.getPageToken().isEmpty() ? 0 : Integer.parseInt(request.getPageToken());
    ListIntentsResponse.Builder page = ListIntentsResponse.newBuilder();
    if (at < all.size()) {
      page.addIntents(all.get(at));
    }
    return page.setNextPageToken(at + 1 < all.size() ? String.valueOf(at + 1) : "").build();
  }

  private synchronized void record(Object request) {
    requests.add(request);
  }
}
