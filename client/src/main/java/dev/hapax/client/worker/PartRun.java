package dev.hapax.client.worker;

import dev.hapax.client.FailureKind;
import dev.hapax.client.HapaxException;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.internal.FailureText;
import dev.hapax.client.internal.InterruptibleThread;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.Failure;
import dev.hapax.v1.OpenPart;
import dev.hapax.v1.PartFailed;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.PartResult;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordedStep;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the body of one part until the part has an output or has failed for good, or the execution
 * ends for a pause or a doubt.
 */
final class PartRun<T extends @Nullable Object> {

  private static final Duration UNKNOWN_STATE_DELAY = Duration.ofSeconds(5);

  private final Execution execution;
  private final PartScope scope;
  private final PartScope.Use use;
  private final ExecutionEnding ending;
  private final PayloadCodec<T> codec;
  private final PartBody<? extends T> body;
  private final PartOptions options;
  private final @Nullable PartVerifier<? extends T> verifier;
  private final PartMessages messages;
  private int attempts;
  private boolean begun;
  private @Nullable Throwable lastThrown;

  PartRun(
      Execution execution,
      PartScope scope,
      PartScope.Use use,
      ExecutionEnding ending,
      PayloadCodec<T> codec,
      PartBody<? extends T> body,
      PartOptions options,
      @Nullable PartVerifier<? extends T> verifier) {
    this.execution = execution;
    this.scope = scope;
    this.use = use;
    this.ending = ending;
    this.codec = codec;
    this.body = body;
    this.options = options;
    this.messages = new PartMessages(use.name(), options);
    this.verifier = verifier;
  }

  /** The recorded output. */
  Payload output() {
    Optional<RecordedStep> recorded = use.find(false);
    if (recorded.isPresent()) {
      return recorded.get().getOutput();
    }
    Payload output =
        execution.known().findOpen(use.name()).map(this::resume).orElseGet(this::start);
    while (output == null) {
      ending.check();
      output = options.isAtMostOnce() && !begun ? begin() : attempt();
    }
    return output;
  }

  private @Nullable Payload start() {
    execution.checkFits(scope, ending, use.name());
    return null;
  }

  /** Continues a part that has no output; null = its body is to run. */
  private @Nullable Payload resume(OpenPart part) {
    attempts = part.getAttempts();
    switch (part.getState()) {
      case PART_STATE_FAILED -> throw failedForGood(part.getFailure());
      case PART_STATE_RETRY -> {
        Duration left = Duration.between(execution.now(), ProtoTimes.toJava(part.getDueAt()));
        if (left.compareTo(Duration.ZERO) > 0) {
          throw ending.choose(new ExecutionEnd.Paused(left));
        }
        return null;
      }
      case PART_STATE_BEGUN -> {
        attempts = Math.max(0, part.getAttempts() - 1);
        begun = true;
        return verified();
      }
      case PART_STATE_UNSPECIFIED, UNRECOGNIZED ->
          throw ending.choose(new ExecutionEnd.Released(Release.after(UNKNOWN_STATE_DELAY)));
    }
    throw new AssertionError("unreachable");
  }

  private PartFailedException failedForGood(Failure failure) {
    return new PartFailedException(use.name(), failure, attempts, lastThrown);
  }

  private @Nullable Payload begin() {
    PartResult result = execution.reports().report(messages.beginning());
    if (!result.hasBegun()) {
      return after(result);
    }
    begun = true;
    return result.getBegun().getInDoubt() ? verified() : null;
  }

  /** Runs the body once; null = another attempt follows. */
  private @Nullable Payload attempt() {
    long startedAt = execution.timing().nanos();
    Timing.@Nullable Timer[] timer = new Timing.Timer[1];
    InterruptibleThread thread =
        new InterruptibleThread(
            interrupt ->
                timer[0] =
                    options
                        .timeout()
                        .map(timeout -> execution.timing().after(timeout, interrupt))
                        .orElse(null));
    boolean timedOut = false;
    T value;
    try {
      try {
        value = body.run(partId());
      } finally {
        timedOut = thread.ended();
        cancel(timer[0]);
      }
    } catch (Throwable thrown) {
      return failed(thrown, timedOut);
    }
    Duration elapsed = Duration.ofNanos(execution.timing().nanos() - startedAt);
    return after(execution.reports().report(output(value, elapsed)));
  }

  private static void cancel(Timing.@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  private String partId() {
    return execution.task().stepId() + "/" + use.name();
  }

  private PartRecord output(T value, @Nullable Duration elapsed) {
    return messages.output(codec.encode(value), use.isOverlapped(), elapsed);
  }

  private @Nullable Payload failed(Throwable thrown, boolean timedOut) {
    if (thrown instanceof EndExecution end) {
      throw end;
    }
    if (thrown instanceof TaskLostException lost) {
      throw lost;
    }
    // the interrupt of a loss is no failure of the part
    if (execution.lease().isLost()) {
      throw TaskTransaction.lost(execution.lease(), null);
    }
    lastThrown = thrown;
    TaskVerdict verdict =
        timedOut
            ? TaskVerdict.of(
                FailureKind.RETRYABLE,
                FailureText.describe(
                    "PART_TIMEOUT",
                    "part %s exceeded its timeout of %s"
                        .formatted(use.name(), options.timeout().orElseThrow())))
            : TaskVerdict.of(thrown, execution.classifier());
    if (begun && timedOut) {
      throw ending.choose(new ExecutionEnd.Failing(verdict.ofPart(use.name()), thrown));
    }
    if (!timedOut && isUnknown(thrown)) {
      List<PartRecord> reports = begun ? List.of() : List.of(messages.beginning());
      throw ending.choose(
          new ExecutionEnd.Failing(verdict.ofPart(use.name()).inDoubt(reports), thrown));
    }
    return after(
        execution
            .reports()
            .report(failure(verdict, FailureText.withStack(verdict.failure(), thrown))));
  }

  /**
   * Without a beginning a part may run twice, so a classifier's doubt is a failure as any other.
   */
  private boolean isUnknown(Throwable thrown) {
    return (begun || TaskVerdict.declared(thrown) != null)
        && TaskVerdict.kind(thrown, execution.classifier()) == FailureKind.UNKNOWN_EFFECT;
  }

  private PartRecord failure(TaskVerdict verdict, Failure failure) {
    return messages.failure(attempts + 1, verdict, failure);
  }

  /** What follows a report; null = another attempt. */
  private @Nullable Payload after(PartResult result) {
    if (result.hasRecorded()) {
      return result.getRecorded().getOutput();
    }
    if (result.hasBegun()) {
      begun = true;
      return verified();
    }
    PartFailed failed = result.getFailed();
    attempts = failed.getAttempts();
    begun = false;
    if (!failed.hasRetryAt()) {
      throw failedForGood(failed.getFailure());
    }
    Duration pause = ProtoTimes.toJava(failed.getRetryIn());
    if (!failed.getHold() || ending.isChosen()) {
      throw ending.choose(new ExecutionEnd.Paused(pause));
    }
    hold(pause);
    return null;
  }

  /** Waits in place, while the lease is renewed. */
  private void hold(Duration pause) {
    CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
    Timing.Timer timer = execution.timing().after(pause, () -> over.complete(null));
    try {
      CompletableFuture.anyOf(over, execution.lease().revocation()).get();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw execution.lease().isLost()
          ? TaskTransaction.lost(execution.lease(), null)
          : new HapaxException.Unavailable(interrupted);
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    } finally {
      timer.cancel();
    }
    TaskCalls.throwIfRevoked(execution.lease());
  }

  /** Finds out about a part that is in doubt; null = its body is to run. */
  private @Nullable Payload verified() {
    if (verifier == null) {
      TaskVerdict verdict =
          TaskVerdict.of(
              FailureKind.UNKNOWN_EFFECT,
              FailureText.describe(
                  "UNKNOWN_EFFECT",
                  "another worker began part %s, and it is unknown whether it took effect"
                      .formatted(use.name())));
      throw ending.choose(new ExecutionEnd.Failing(verdict.ofPart(use.name()), null));
    }
    return verified(verifier);
  }

  private <V extends T> @Nullable Payload verified(PartVerifier<V> verifier) {
    Evidence<V> evidence;
    try {
      evidence = verifier.verify(partId());
    } catch (EndExecution | TaskLostException end) {
      throw end;
    } catch (Throwable thrown) {
      TaskVerdict verdict = TaskVerdict.of(thrown, execution.classifier());
      throw ending.choose(new ExecutionEnd.Failing(verdict.ofPart(use.name()), thrown));
    }
    if (evidence.isDone()) {
      return after(execution.reports().report(output(evidence.value(), null)));
    }
    TaskVerdict notDone =
        TaskVerdict.of(
            FailureKind.RETRYABLE, FailureText.describe("NOT_DONE", "verify found no effect"));
    List<PartResult> results =
        execution
            .reports()
            .report(List.of(failure(notDone, notDone.failure()), messages.beginning()), Map.of());
    PartResult first = results.get(0);
    if (!first.hasFailed() || !first.getFailed().hasRetryAt()) {
      return after(first);
    }
    attempts = first.getFailed().getAttempts();
    return results.get(1).hasBegun() ? null : after(results.get(1));
  }
}
