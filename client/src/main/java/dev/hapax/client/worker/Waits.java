package dev.hapax.client.worker;

import dev.hapax.client.FinalFailure;
import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PartResult;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordedStep;
import dev.hapax.v1.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The waits of a workflow, and the records of their ends. */
final class Waits {

  static final Payload TIMED_OUT =
      Payload.newBuilder().setJson("{\"@type\":\"hapax.dev/signal-timeout\"}").build();

  private static final Duration LONGEST = Duration.ofDays(365);

  private final Execution execution;
  private final PartScope scope;
  private final ExecutionEnding ending;
  private final Inbox inbox;

  Waits(Execution execution, PartScope scope, ExecutionEnding ending) {
    this.execution = execution;
    this.scope = scope;
    this.ending = ending;
    this.inbox = new Inbox(execution.task().signals());
  }

  /** Waits for a time. */
  void suspend(PartScope.Use use, Duration duration) {
    Duration left = left(use, use.name(), duration);
    if (!left.isZero()) {
      throw ending.choose(new ExecutionEnd.Waiting(Suspension.during(left)));
    }
  }

  /**
   * Waits for a signal.
   *
   * @param timeout null = none
   * @return its payload, or {@link #TIMED_OUT}
   */
  Payload signal(PartScope.Use use, AwaitedSignal awaited, @Nullable Duration timeout) {
    String deadline = use.name() + ".deadline";
    execution.known().ask(deadline);
    Optional<Payload> received =
        use.find(true).map(RecordedStep::getOutput).or(() -> receive(use, awaited));
    if (received.isPresent()) {
      return received.get();
    }
    if (timeout == null) {
      execution.checkFits(scope, ending, use.name());
      throw ending.choose(new ExecutionEnd.Waiting(Suspension.untilSignal(awaited)));
    }
    Duration left = left(use, deadline, timeout);
    if (!left.isZero()) {
      throw ending.choose(new ExecutionEnd.Waiting(Suspension.during(left).orSignal(awaited)));
    }
    return record(use, use.name(), TIMED_OUT, List.of());
  }

  private Optional<Payload> receive(PartScope.Use use, AwaitedSignal awaited) {
    Optional<Signal> signal = inbox.take(awaited);
    if (signal.isEmpty()) {
      return Optional.empty();
    }
    execution.checkFits(scope, ending, use.name());
    Payload payload = signal.get().hasPayload() ? signal.get().getPayload() : PartMessages.NULL;
    return Optional.of(record(use, use.name(), payload, List.of(signal.get().getSignalId())));
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
    if (before.isEmpty()) {
      execution.checkFits(scope, ending, use.name());
      WakeTime end = WakeTime.in(duration, execution.task(), use.isOverlapped(), execution.now());
      record(use, name, end.encode(), List.of());
      // Hapax measures all of it, however long the record took
      return duration;
    }
    return WakeTime.decode(name, before.get().getOutput())
        .left(execution.task(), execution.now(), duration);
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
}
