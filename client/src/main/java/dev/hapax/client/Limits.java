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
 * Changes and shows the limits of steps and definitions. Thread-safe.
 *
 * <pre>{@code
 * hapax.limits().set("openai", limit -> limit.key("acme").maxRunning(2).reason("slow provider"));
 * }</pre>
 *
 * <p>See {@link Hapax} for exceptions and retries. Steps declare limits by {@link
 * StepOptions#limits}, and definitions by {@link Definition#limits}.
 */
public final class Limits {

  private final Connection connection;

  Limits(Connection connection) {
    this.connection = connection;
  }

  /**
   * Sets the numbers of a limit at once, before those of all definitions. Runs that were admitted
   * stay so: after a lower number, others wait until fewer run.
   *
   * @param name of the limit, 1 to 255 characters
   * @return false if it was set so before, so that nothing was changed
   */
  public boolean set(String name, UnaryOperator<LimitChange> change) {
    return send(change.apply(new LimitChange(request(name))).toProto());
  }

  /** As {@link #remove(String, UnaryOperator)}, of all values of the limit of steps. */
  public boolean remove(String name) {
    return remove(name, UnaryOperator.identity());
  }

  /**
   * Removes the numbers that {@link #set} set. Those of the whole limit hold again, or those of the
   * definitions.
   *
   * @param change the key, scope and reason of what is removed; it must have no numbers
   * @return false if none were set
   */
  public boolean remove(String name, UnaryOperator<LimitChange> change) {
    return send(
        change.apply(new LimitChange(request(name))).toProto().toBuilder().setRemove(true).build());
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
