package dev.hapax.client;

import com.google.protobuf.Empty;
import dev.hapax.client.internal.FailureText;
import dev.hapax.client.internal.InterruptibleThread;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.Failure;
import dev.hapax.v1.OpenPart;
import dev.hapax.v1.PartFailed;
import dev.hapax.v1.PartFailure;
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
  private static final Duration LONGEST_ELAPSED = Duration.ofHours(24);

  private final Execution execution;
  private final PartScope scope;
  private final PartScope.Use use;
  private final ExecutionEnding ending;
  private final PartOptions<T> options;
  private final Part<? extends T> body;
  private int attempts;
  private boolean begun;
  private @Nullable Throwable lastThrown;

  PartRun(
      Execution execution,
      PartScope scope,
      PartScope.Use use,
      ExecutionEnding ending,
      PartOptions<T> options,
      Part<? extends T> body) {
    this.execution = execution;
    this.scope = scope;
    this.use = use;
    this.ending = ending;
    this.options = options;
    this.body = body;
  }

  /** The recorded output. */
  Payload output() {
    Optional<RecordedStep> recorded = use.find(false);
    if (recorded.isPresent()) {
      return recorded.get().getOutput();
    }
    OpenPart open = execution.known().findOpen(use.name()).orElse(null);
    Payload output = null;
    if (open == null) {
      execution.checkFits(scope, ending, use.name());
    } else {
      output = resume(open);
    }
    while (output == null) {
      ending.check();
      output = options.isAtMostOnce() && !begun ? begin() : attempt();
    }
    return output;
  }

  /** Continues a part that has no output; null = its body is to run. */
  private @Nullable Payload resume(OpenPart part) {
    attempts = part.getAttempts();
    return switch (part.getState()) {
      case PART_STATE_FAILED -> throw failedForGood(part.getFailure());
      case PART_STATE_RETRY -> {
        Duration left = Duration.between(execution.now(), ProtoTimes.toJava(part.getDueAt()));
        if (left.compareTo(Duration.ZERO) > 0) {
          throw ending.choose(new ExecutionEnd.Paused(left));
        }
        yield null;
      }
      case PART_STATE_BEGUN -> {
        attempts = Math.max(0, part.getAttempts() - 1);
        begun = true;
        yield verified();
      }
      case PART_STATE_UNSPECIFIED, UNRECOGNIZED ->
          throw ending.choose(new ExecutionEnd.Released(UNKNOWN_STATE_DELAY, null));
    };
  }

  private HapaxException.PartFailed failedForGood(Failure failure) {
    return new HapaxException.PartFailed(
        use.name(), new dev.hapax.client.Failure(failure), attempts, lastThrown);
  }

  private @Nullable Payload begin() {
    PartResult result = execution.reports().report(beginning());
    if (!result.hasBegun()) {
      return after(result);
    }
    begun = true;
    return result.getBegun().getInDoubt() ? verified() : null;
  }

  /** Runs the body once; null = another attempt follows. */
  private @Nullable Payload attempt() {
    long startedAt = execution.timing().nanos();
    Duration timeout = options.timeout();
    Timing.@Nullable Timer[] timer = new Timing.Timer[1];
    InterruptibleThread thread =
        new InterruptibleThread(
            interrupt ->
                timer[0] = timeout == null ? null : execution.timing().after(timeout, interrupt));
    boolean timedOut = false;
    T value;
    try {
      try {
        value = body.run(id());
      } finally {
        timedOut = thread.ended();
        if (timer[0] != null) {
          timer[0].cancel();
        }
      }
    } catch (Throwable thrown) {
      return failed(thrown, timedOut);
    }
    Duration elapsed = Duration.ofNanos(execution.timing().nanos() - startedAt);
    return after(execution.reports().report(output(value, elapsed)));
  }

  private String id() {
    return execution.message().getStep().getId() + "/" + use.name();
  }

  private PartRecord.Builder report() {
    return PartRecord.newBuilder().setName(use.name());
  }

  private PartRecord beginning() {
    return report().setBegin(Empty.getDefaultInstance()).build();
  }

  /**
   * An output.
   *
   * @param elapsed how long the body ran; null = it did not run
   */
  private PartRecord output(T value, @Nullable Duration elapsed) {
    Payload output = Payloads.of(execution.stored("part " + use.name(), options.codec(), value));
    PartRecord.Builder report =
        report()
            .setOutput(output == null ? Payloads.NULL : output)
            .setOverlapped(use.isOverlapped());
    if (elapsed != null) {
      report.setElapsed(
          ProtoTimes.toProto(elapsed.compareTo(LONGEST_ELAPSED) > 0 ? LONGEST_ELAPSED : elapsed));
    }
    return report.build();
  }

  /** A failure of this attempt. */
  private PartRecord failure(TaskVerdict verdict, Failure failure) {
    PartFailure.Builder report =
        PartFailure.newBuilder()
            .setAttempt(attempts + 1)
            .setFailure(failure)
            .setKind(FailureText.kind(verdict.kind()));
    Retry retry = options.retry();
    if (retry != null) {
      report.setRetry(retry.toProto());
    }
    Duration retryAfter = verdict.retryAfter();
    if (retryAfter != null) {
      report.setRetryAfter(ProtoTimes.toProto(retryAfter));
    }
    return report().setFailure(report).build();
  }

  private @Nullable Payload failed(Throwable thrown, boolean timedOut) {
    if (thrown instanceof EndExecution end) {
      throw end;
    }
    // the interrupt of a loss is no failure of the part
    if (execution.claim().isLost()) {
      throw execution.claim().lost(null);
    }
    lastThrown = thrown;
    TaskVerdict verdict =
        timedOut
            ? TaskVerdict.of(
                FailureKind.RETRYABLE,
                "PART_TIMEOUT",
                "part %s exceeded its timeout of %s".formatted(use.name(), options.timeout()))
            : TaskVerdict.of(thrown);
    if (begun && timedOut) {
      throw failing(verdict, thrown);
    }
    WorkFailure declared = WorkFailure.in(thrown);
    if (!timedOut && declared != null && declared.failureKind() == FailureKind.UNKNOWN_EFFECT) {
      throw failing(verdict.inDoubt(begun ? List.of() : List.of(beginning())), thrown);
    }
    return after(
        execution
            .reports()
            .report(failure(verdict, FailureText.withStack(verdict.failure(), thrown))));
  }

  private EndExecution failing(TaskVerdict verdict, @Nullable Throwable cause) {
    return ending.choose(new ExecutionEnd.Failing(verdict.ofPart(use.name()), cause));
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
      var unused = CompletableFuture.anyOf(over, execution.claim().lease().revocation()).get();
    } catch (InterruptedException interrupted) {
      throw execution.claim().interrupted(interrupted);
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    } finally {
      timer.cancel();
    }
    execution.claim().throwIfRevoked();
  }

  /** Finds out about a part that is in doubt; null = its body is to run. */
  private @Nullable Payload verified() {
    PartOptions.Verifier<? extends T> verifier = options.verifier();
    if (verifier == null) {
      throw failing(
          TaskVerdict.of(
              FailureKind.UNKNOWN_EFFECT,
              "UNKNOWN_EFFECT",
              "another worker began part %s, and it is unknown whether it took effect"
                  .formatted(use.name())),
          null);
    }
    Optional<? extends T> found;
    try {
      found = verifier.verify(id());
    } catch (EndExecution | HapaxException.ClaimLost end) {
      throw end;
    } catch (Throwable thrown) {
      throw failing(TaskVerdict.of(thrown), thrown);
    }
    if (found.isPresent()) {
      return after(execution.reports().report(output(found.get(), null)));
    }
    TaskVerdict notDone =
        TaskVerdict.of(FailureKind.RETRYABLE, "NOT_DONE", "verify found no effect");
    List<PartResult> results =
        execution
            .reports()
            .report(List.of(failure(notDone, notDone.failure()), beginning()), Map.of());
    PartResult first = results.get(0);
    if (!first.hasFailed() || !first.getFailed().hasRetryAt()) {
      return after(first);
    }
    attempts = first.getFailed().getAttempts();
    return results.get(1).hasBegun() ? null : after(results.get(1));
  }
}
