package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Ranges;
import dev.hapax.v1.SetLimitRequest;
import java.time.Duration;

/**
 * What {@link Limits#set} sets, or {@link Limits#remove} removes. Immutable: each method returns a
 * copy.
 */
public final class LimitChange {

  private final SetLimitRequest message;

  LimitChange(SetLimitRequest.Builder message) {
    this.message = message.build();
  }

  /**
   * Changes one value of the limit's key. At most 255 characters; default all values without a
   * number of their own.
   */
  public LimitChange key(String value) {
    return new LimitChange(message.toBuilder().setKey(KeyText.check("key", value)));
  }

  /** Changes the limit of definitions of this name, not that of steps. */
  public LimitChange ofDefinitions() {
    return new LimitChange(message.toBuilder().setOfDefinitions(true));
  }

  /** Sets the number of runs. 1 to 1,000. */
  public LimitChange maxRunning(int runs) {
    return new LimitChange(
        message.toBuilder()
            .setMaxRunning(Ranges.within("maxRunning", runs, 1, Limit.MOST_RUNNING)));
  }

  /**
   * Sets how many runs enter the queue, or start, in a time, evenly.
   *
   * @param starts 1 to 10,000
   * @param per 1 s to 24 h
   */
  public LimitChange maxStarts(int starts, Duration per) {
    return new LimitChange(
        message.toBuilder()
            .setMaxStarts(Ranges.within("maxStarts", starts, 1, Limit.MOST_STARTS))
            .setPer(
                ProtoTimes.toProto(Ranges.within("per", per, Limit.LEAST_PER, Limit.MOST_PER))));
  }

  /** Stores a reason with the change. At most 255 characters; default none. */
  public LimitChange reason(String reason) {
    return new LimitChange(message.toBuilder().setReason(KeyText.check("reason", reason)));
  }

  SetLimitRequest toProto() {
    return message;
  }
}
