package dev.hapax.client.worker;

import dev.hapax.client.FailureClassifier;
import dev.hapax.client.FailureKind;
import dev.hapax.client.RetryableFailure;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.internal.FailureText;
import dev.hapax.v1.Failure;
import dev.hapax.v1.PartRecord;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The classification of a failed attempt.
 *
 * @param retryAfter null = the delay of the step's policy
 * @param parts reports about parts that are stored before the failure
 */
record TaskVerdict(
    FailureKind kind, Failure failure, @Nullable Duration retryAfter, List<PartRecord> parts) {

  private static final Logger log = LoggerFactory.getLogger(TaskVerdict.class);

  static TaskVerdict finalFailure(String code, @Nullable String message) {
    return of(FailureKind.FINAL, FailureText.describe(code, message));
  }

  static TaskVerdict of(FailureKind kind, Failure failure) {
    return new TaskVerdict(kind, failure, null, List.of());
  }

  /** For a task whose completion was sent in a transaction; ignored if that was committed. */
  static TaskVerdict notCommitted() {
    return of(
        FailureKind.RETRYABLE,
        FailureText.describe(
            "NOT_COMMITTED", "the transaction that completed the task was not committed"));
  }

  /** The kind that the failure or one of its causes carries, else that of the classifier. */
  static TaskVerdict of(Throwable thrown, FailureClassifier classifier) {
    WorkFailure declared = declared(thrown);
    if (declared instanceof FailedExecution failed) {
      return failed.verdict();
    }
    if (declared instanceof PartFailedException failed) {
      return of(FailureKind.FINAL, failed.failure()).ofPart(failed.part());
    }
    // an unknown effect is retryable: the step keeps its id, which is the idempotency key
    FailureKind kind =
        kind(thrown, classifier) == FailureKind.FINAL ? FailureKind.FINAL : FailureKind.RETRYABLE;
    return new TaskVerdict(
        kind,
        FailureText.of(declared == null ? thrown : declared),
        declared instanceof RetryableFailure retryable ? retryable.retryAfter().orElse(null) : null,
        List.of());
  }

  /** The kind of a failure of work, also if its effect is unknown. */
  static FailureKind kind(Throwable thrown, FailureClassifier classifier) {
    WorkFailure declared = declared(thrown);
    if (declared != null) {
      return declared.failureKind();
    }
    try {
      return classifier.classify(thrown);
    } catch (RuntimeException broken) {
      log.error("the failure classifier threw; recording a retryable failure", broken);
      return FailureKind.RETRYABLE;
    }
  }

  /** The failure or its first cause that carries its kind, or null. */
  static @Nullable WorkFailure declared(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof WorkFailure declared) {
        return declared;
      }
    }
    return null;
  }

  /** The same verdict, which names the part that failed. */
  TaskVerdict ofPart(String part) {
    return new TaskVerdict(kind, failure.toBuilder().setPart(part).build(), retryAfter, parts);
  }

  /** The same verdict as UNKNOWN_EFFECT, with reports about parts. */
  TaskVerdict inDoubt(List<PartRecord> reports) {
    return new TaskVerdict(FailureKind.UNKNOWN_EFFECT, failure, null, reports);
  }

  /** Whether no other attempt follows before an operator decides so. */
  boolean isFinal() {
    return kind != FailureKind.RETRYABLE;
  }

  /** The same verdict without the failure's text, which Hapax rejected. */
  TaskVerdict withoutText() {
    Failure bare = FailureText.describe("FAILED", null);
    return new TaskVerdict(kind, bare.toBuilder().setPart(failure.getPart()).build(), null, parts);
  }
}
