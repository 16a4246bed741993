package dev.hapax.client.worker;

import dev.hapax.client.FinalFailure;
import dev.hapax.v1.Payload;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * The end of a workflow's wait, recorded before it, with the attempt and fence that recorded it.
 *
 * <p>Hapax measures the wait. Afterwards the step has the same attempt and a higher fence, so its
 * end needs no clock. The time of Hapax decides only if that execution died around the wait.
 */
record WakeTime(Instant until, int attempt, long fence) {

  /**
   * The end of a wait that begins now.
   *
   * @param overlapped another part may end this execution before the wait does: then the time
   *     decides, since no attempt has the number 0
   */
  static WakeTime in(Duration duration, TaskContext task, boolean overlapped, Instant now) {
    return new WakeTime(now.plus(duration), overlapped ? 0 : task.attempt(), task.fence());
  }

  /** JSON text, such as {@code "2026-11-21T15:00:00Z 1 1763737200000000"}. */
  Payload encode() {
    return Payload.newBuilder().setJson("\"" + until + " " + attempt + " " + fence + "\"").build();
  }

  /**
   * Decodes the record.
   *
   * @throws FinalFailure if the record is not a wait: the name belonged to another kind of step
   *     before
   */
  static WakeTime decode(String name, Payload stored) {
    String[] parts = stored.getJson().replace("\"", "").split(" ", -1);
    try {
      if (parts.length == 3) {
        return new WakeTime(
            Instant.parse(parts[0]), Integer.parseInt(parts[1]), Long.parseLong(parts[2]));
      }
    } catch (DateTimeParseException | NumberFormatException foreign) {
      throw foreign(name, foreign);
    }
    throw foreign(name, null);
  }

  private static FinalFailure foreign(String name, @Nullable Throwable cause) {
    return new FinalFailure(
        "STEP_CHANGED",
        "the recorded step " + name + " is not a wait; keep step names stable",
        cause);
  }

  /**
   * The remaining wait; 0 if it is over.
   *
   * @param atMost the limit if that time was set back
   */
  Duration left(TaskContext task, Instant now, Duration atMost) {
    if (task.attempt() == attempt && task.fence() > fence) {
      return Duration.ZERO;
    }
    Duration left = Duration.between(now, until);
    if (left.isNegative()) {
      return Duration.ZERO;
    }
    return left.compareTo(atMost) > 0 ? atMost : left;
  }
}
