package dev.hapax.client;

import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PartResult;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordedStep;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The waits of an execution, and the records of their ends. */
final class Waits {

  static final Payload TIMED_OUT = Payloads.json("{\"@type\":\"hapax.dev/signal-timeout\"}");

  private static final Duration LONGEST = Duration.ofDays(365);

  private final Execution execution;
  private final PartScope scope;
  private final ExecutionEnding ending;
  private final List<dev.hapax.v1.Signal> inbox;

  Waits(Execution execution, PartScope scope, ExecutionEnding ending) {
    this.execution = execution;
    this.scope = scope;
    this.ending = ending;
    this.inbox = new ArrayList<>(execution.message().getSignalsList());
  }

  /** Waits for a time. */
  void suspend(PartScope.Use use, Duration duration) {
    Duration left = left(use, use.name(), duration);
    if (!left.isZero()) {
      throw ending.choose(new ExecutionEnd.Waiting(left, null));
    }
  }

  /**
   * Waits for a signal.
   *
   * @param timeout null = none
   * @return its payload, or {@link #TIMED_OUT}
   */
  Payload signal(PartScope.Use use, Wait<?> wait, @Nullable Duration timeout) {
    String deadline = use.name() + ".deadline";
    var unused = execution.known().ask(deadline);
    Optional<Payload> received =
        use.find(true).map(RecordedStep::getOutput).or(() -> receive(use, wait));
    if (received.isPresent()) {
      return received.get();
    }
    if (timeout == null) {
      execution.checkFits(scope, ending, use.name());
      throw ending.choose(new ExecutionEnd.Waiting(null, wait.filter()));
    }
    Duration left = left(use, deadline, timeout);
    if (!left.isZero()) {
      throw ending.choose(new ExecutionEnd.Waiting(left, wait.filter()));
    }
    return record(use, use.name(), TIMED_OUT, List.of());
  }

  /** Consumes the oldest signal that matches. */
  private Optional<Payload> receive(PartScope.Use use, Wait<?> wait) {
    Optional<dev.hapax.v1.Signal> first = inbox.stream().filter(wait::matches).findFirst();
    if (first.isEmpty()) {
      return Optional.empty();
    }
    dev.hapax.v1.Signal signal = first.get();
    inbox.remove(signal);
    execution.checkFits(scope, ending, use.name());
    Payload payload = signal.hasPayload() ? signal.getPayload() : Payloads.NULL;
    return Optional.of(record(use, use.name(), payload, List.of(signal.getSignalId())));
  }

  /**
   * The remaining wait.
   *
   * @param name of the record of its end
   */
  private Duration left(PartScope.Use use, String name, Duration duration) {
    if (duration.compareTo(LONGEST) > 0) {
      throw new FinalFailure(
          "WAIT_TOO_LONG", name + " must wait at most 365 days (was " + duration + ")");
    }
    Optional<RecordedStep> before =
        name.equals(use.name()) ? use.find(true) : execution.known().find(name);
    if (duration.isZero() || duration.isNegative()) {
      return Duration.ZERO;
    }
    if (before.isPresent()) {
      return WakeTime.of(name, before.get().getOutput()).left(execution, duration);
    }
    execution.checkFits(scope, ending, use.name());
    // another part may end this execution before the wait does: then the time decides, since no
    // attempt has the number 0
    int attempt = use.isOverlapped() ? 0 : execution.message().getStep().getAttempt();
    WakeTime end = new WakeTime(execution.now().plus(duration), attempt, execution.claim().fence());
    var unused = record(use, name, end.payload(), List.of());
    // Hapax measures all of it, however long the record took
    return duration;
  }

  private Payload record(
      PartScope.Use use, String name, Payload output, List<String> consumedSignals) {
    PartResult result =
        execution
            .reports()
            .report(
                PartRecord.newBuilder()
                    .setName(name)
                    .setOutput(output)
                    .addAllConsumedSignalIds(consumedSignals)
                    .setOverlapped(use.isOverlapped())
                    .setIsWait(true)
                    .build());
    if (!result.hasRecorded()) {
      throw new FinalFailure("STEP_CHANGED", "the record `" + name + "` is a part, not a wait");
    }
    return result.getRecorded().getOutput();
  }

  /**
   * The end of a wait, recorded before it, with the attempt and fence that recorded it.
   *
   * <p>Hapax measures the wait. Afterwards the step has the same attempt and a higher fence, so its
   * end needs no clock. The time of Hapax decides only if that execution died around the wait.
   */
  private record WakeTime(Instant until, int attempt, long fence) {

    /** JSON text, such as {@code "2026-11-21T15:00:00Z 1 1763737200000000"}. */
    Payload payload() {
      return Payloads.json("\"" + until + " " + attempt + " " + fence + "\"");
    }

    static WakeTime of(String name, Payload stored) {
      String[] parts = stored.getJson().replace("\"", "").split(" ", -1);
      try {
        return new WakeTime(
            Instant.parse(parts[0]), Integer.parseInt(parts[1]), Long.parseLong(parts[2]));
      } catch (DateTimeParseException
          | NumberFormatException
          | ArrayIndexOutOfBoundsException foreign) {
        throw new FinalFailure(
            "STEP_CHANGED",
            "the recorded step " + name + " is not a wait; keep step names stable",
            foreign);
      }
    }

    /**
     * The remaining wait; 0 if it is over.
     *
     * @param atMost the limit if the time of Hapax was set back
     */
    Duration left(Execution execution, Duration atMost) {
      boolean isMeasured =
          execution.message().getStep().getAttempt() == attempt
              && execution.claim().fence() > fence;
      Duration left = Duration.between(execution.now(), until);
      if (isMeasured || left.isNegative()) {
        return Duration.ZERO;
      }
      return left.compareTo(atMost) > 0 ? atMost : left;
    }
  }
}
