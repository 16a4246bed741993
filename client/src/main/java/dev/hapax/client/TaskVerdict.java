package dev.hapax.client;

import dev.hapax.client.internal.FailureText;
import dev.hapax.v1.Failure;
import dev.hapax.v1.PartRecord;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a failure of a task or a part means.
 *
 * @param retryAfter null = the delay of the policy
 * @param parts reports about parts that are stored before the failure
 */
record TaskVerdict(
    FailureKind kind, Failure failure, @Nullable Duration retryAfter, List<PartRecord> parts) {

  /** The failure of an execution that ended before its code did. */
  static final class FailedExecution extends Exception {
    private final transient TaskVerdict verdict;

    FailedExecution(TaskVerdict verdict, @Nullable Throwable cause) {
      super(verdict.failure.getCode() + " " + verdict.failure.getMessage(), cause);
      this.verdict = verdict;
    }
  }

  static TaskVerdict of(FailureKind kind, String code, @Nullable String message) {
    return new TaskVerdict(kind, FailureText.describe(code, message), null, List.of());
  }

  /** That of the exception or its first cause that declares one; otherwise retryable. */
  static TaskVerdict of(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof FailedExecution failed) {
        return failed.verdict;
      }
      if (cause instanceof HapaxException.PartFailed failed) {
        return new TaskVerdict(FailureKind.FINAL, failed.failure().message(), null, List.of())
            .ofPart(failed.part());
      }
      if (cause instanceof WorkFailure declared) {
        return of(declared);
      }
    }
    return new TaskVerdict(FailureKind.RETRYABLE, FailureText.of(thrown), null, List.of());
  }

  private static TaskVerdict of(WorkFailure declared) {
    // an unknown effect is retryable: the step keeps its id, which is the idempotency key
    boolean isFinal = declared.failureKind() == FailureKind.FINAL;
    return new TaskVerdict(
        isFinal ? FailureKind.FINAL : FailureKind.RETRYABLE,
        FailureText.of(declared),
        declared instanceof RetryableFailure retryable ? retryable.retryAfter().orElse(null) : null,
        List.of());
  }

  /** The same verdict, which names the part that failed. */
  TaskVerdict ofPart(String part) {
    return new TaskVerdict(kind, failure.toBuilder().setPart(part).build(), retryAfter, parts);
  }

  /** The same verdict as UNKNOWN_EFFECT, with reports about parts. */
  TaskVerdict inDoubt(List<PartRecord> reports) {
    return new TaskVerdict(FailureKind.UNKNOWN_EFFECT, failure, null, reports);
  }

  /** The same verdict without the failure's text, which Hapax rejected. */
  TaskVerdict bare() {
    Failure bare =
        FailureText.describe("FAILED", null).toBuilder().setPart(failure.getPart()).build();
    return new TaskVerdict(kind, bare, null, parts);
  }
}
