package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Pages;
import dev.hapax.v1.LimitState;
import dev.hapax.v1.ListLimitsRequest;
import dev.hapax.v1.ListLimitsResponse;
import dev.hapax.v1.SetLimitRequest;
import dev.hapax.v1.SetLimitResponse;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Changes and shows the limits of steps. Thread-safe.
 *
 * <pre>{@code
 * hapax.limits().set("openai", limit -> limit.key("acme").maxRunning(2).reason("slow provider"));
 * }</pre>
 *
 * <p>See {@link Hapax} for exceptions and retries. Steps declare limits by {@link
 * StepOptions#limits}.
 */
public final class Limits {

  private final Connection connection;

  Limits(Connection connection) {
    this.connection = connection;
  }

  /**
   * Sets the numbers of a limit at once, before those of all definitions. Runs that are at their
   * steps stay there: after a lower number, others wait until fewer run.
   *
   * @param name of the limit, 1 to 255 characters
   * @return false if it was set so before, so that nothing was changed
   */
  public boolean set(String name, UnaryOperator<LimitChange> change) {
    return send(change.apply(new LimitChange(request(name))).toProto());
  }

  /** As {@link #remove(String, String, String)}, of all values, without a reason. */
  public boolean remove(String name) {
    return remove(name, "", "");
  }

  /**
   * Removes a number that {@link #set} set. That of the whole limit holds again, or those of the
   * definitions.
   *
   * @param key as in {@link LimitChange#key}; empty = the number of the whole limit
   * @param reason at most 255 characters, may be empty
   * @return false if none was set
   */
  public boolean remove(String name, String key, String reason) {
    return send(
        request(name)
            .setKey(KeyText.check("key", key))
            .setReason(KeyText.check("reason", reason))
            .setRemove(true)
            .build());
  }

  private SetLimitRequest.Builder request(String name) {
    return SetLimitRequest.newBuilder()
        .setWorkspace(connection.workspace())
        .setActor(connection.actor())
        .setName(KeyText.required("name", name));
  }

  private boolean send(SetLimitRequest request) {
    return !connection.call(request, SetLimitResponse.getDefaultInstance()).getAlready();
  }

  /** Lists all limits by name and value, loaded as the stream is read. */
  public Stream<LimitState> list() {
    return list("");
  }

  /**
   * Lists the values of a limit that runs have reached in the last week, and those that are set,
   * loaded as the stream is read.
   *
   * @param name empty = all limits
   */
  public Stream<LimitState> list(String name) {
    ListLimitsRequest.Builder request =
        ListLimitsRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setName(KeyText.check("name", name))
            .setPageSize(Pages.SIZE);
    return Pages.all(
        token ->
            connection.call(
                request.setPageToken(token).build(), ListLimitsResponse.getDefaultInstance()),
        ListLimitsResponse::getLimitsList,
        ListLimitsResponse::getNextPageToken);
  }
}
