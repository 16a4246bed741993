package dev.hapax.client.intent;

import dev.hapax.client.HapaxClient;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.LongPoll;
import dev.hapax.client.internal.Pages;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.IntentRpcs;
import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.AwaitIntentResponse;
import dev.hapax.v1.Intent;
import dev.hapax.v1.IntentState;
import dev.hapax.v1.ListIntentsRequest;
import dev.hapax.v1.ListIntentsResponse;
import dev.hapax.v1.NudgeIntentsRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Reads the outcomes of intents, which SQL functions such as {@code hapax.start_run} post in a
 * transaction of the application. Thread-safe.
 *
 * <pre>{@code
 * String ticket;
 * try (Connection connection = dataSource.getConnection()) {
 *   connection.setAutoCommit(false);
 *   insertOrder(connection);
 *   ticket = startRun(connection); // SELECT hapax.start_run('', 'order', …)
 *   connection.commit();
 * }
 * Intent intent = hapax.intents().await(ticket, Duration.ofSeconds(10));
 * }</pre>
 *
 * <p>See {@link HapaxClient} for exceptions and retries. A ticket whose transaction has not
 * committed, or was rolled back, is rejected with INTENT_NOT_FOUND. Outcomes are kept for 7 days.
 */
public final class Intents {

  private final UnaryCalls calls;
  private final Timing timing;
  private final String workspace;

  /** Internal; see {@link HapaxClient#intents}. */
  public Intents(ClientConnection connection) {
    this.calls = connection.unaryCalls();
    this.timing = connection.timing();
    this.workspace = connection.options().workspace();
  }

  /**
   * Waits until a server has taken the intent or {@code atMost} has passed, and returns the intent:
   * {@code hasTakenAt()} shows which. The server scans for intents at once. Retries while Hapax is
   * unreachable.
   *
   * @param ticket as the SQL function returned it
   */
  public Intent await(String ticket, Duration atMost) {
    return UnaryCalls.await(awaitAsync(ticket, atMost));
  }

  /** As {@link #await}, without blocking a thread. */
  public CompletableFuture<Intent> awaitAsync(String ticket, Duration atMost) {
    AwaitIntentRequest request =
        AwaitIntentRequest.newBuilder().setWorkspace(workspace).setTicket(ticket).build();
    return new LongPoll<>(
            calls,
            timing,
            atMost,
            (wait, timeLimit) ->
                calls.send(
                    IntentRpcs.AWAIT_INTENT,
                    request.toBuilder().setWait(ProtoTimes.toProto(wait)).build(),
                    wait,
                    timeLimit),
            AwaitIntentResponse::getIntent,
            Intent::hasTakenAt)
        .start();
  }

  /** The intents that no server has taken, oldest first, loaded as the stream is read. */
  public Stream<Intent> posted() {
    return list(IntentState.INTENT_STATE_POSTED);
  }

  /** The intents that failed, newest first, loaded as the stream is read. */
  public Stream<Intent> failed() {
    return list(IntentState.INTENT_STATE_FAILED);
  }

  private Stream<Intent> list(IntentState state) {
    return Pages.all(
        token ->
            UnaryCalls.await(
                calls.send(
                    IntentRpcs.LIST_INTENTS,
                    ListIntentsRequest.newBuilder()
                        .setWorkspace(workspace)
                        .setState(state)
                        .setPageSize(Pages.SIZE)
                        .setPageToken(token)
                        .build())),
        ListIntentsResponse::getIntentsList,
        ListIntentsResponse::getNextPageToken);
  }

  /**
   * Makes the server scan for intents now instead of within a second. Call it after the commit, if
   * no call of {@link #await} follows.
   */
  public void nudge() {
    NudgeIntentsRequest request = NudgeIntentsRequest.newBuilder().setWorkspace(workspace).build();
    var unused = UnaryCalls.await(calls.send(IntentRpcs.NUDGE_INTENTS, request));
  }
}
