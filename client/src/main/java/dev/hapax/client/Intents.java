package dev.hapax.client;

import dev.hapax.client.internal.Pages;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.AwaitIntentResponse;
import dev.hapax.v1.IntentState;
import dev.hapax.v1.ListIntentsRequest;
import dev.hapax.v1.ListIntentsResponse;
import dev.hapax.v1.NudgeIntentsRequest;
import dev.hapax.v1.NudgeIntentsResponse;
import java.time.Duration;
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
 * <p>See {@link Hapax} for exceptions and retries. A ticket whose transaction has not committed, or
 * was rolled back, is refused with INTENT_NOT_FOUND. Outcomes are kept for 7 days.
 */
public final class Intents {

  private final Connection connection;

  Intents(Connection connection) {
    this.connection = connection;
  }

  /**
   * Waits until a server has taken the intent or {@code atMost} has passed, and returns the intent:
   * {@link Intent#isTaken} shows which. The server scans for intents at once. Retries while Hapax
   * is unreachable.
   *
   * @param ticket as the SQL function returned it
   */
  public Intent await(String ticket, Duration atMost) {
    AwaitIntentRequest.Builder request =
        AwaitIntentRequest.newBuilder().setWorkspace(connection.workspace()).setTicket(ticket);
    return new LongPoll<>(
            wait -> request.setWait(ProtoTimes.toProto(wait)).build(),
            AwaitIntentResponse.getDefaultInstance(),
            response -> new Intent(response.getIntent()),
            Intent::isTaken)
        .await(connection, atMost);
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
    ListIntentsRequest.Builder request =
        ListIntentsRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setState(state)
            .setPageSize(Pages.SIZE);
    return Pages.all(
            token ->
                connection.call(
                    request.setPageToken(token).build(), ListIntentsResponse.getDefaultInstance()),
            ListIntentsResponse::getIntentsList,
            ListIntentsResponse::getNextPageToken)
        .map(Intent::new);
  }

  /**
   * Makes the server scan for intents now instead of within a second. Call it after the commit, if
   * no call of {@link #await} follows.
   */
  public void nudge() {
    var unused =
        connection.call(
            NudgeIntentsRequest.newBuilder().setWorkspace(connection.workspace()).build(),
            NudgeIntentsResponse.getDefaultInstance());
  }
}
