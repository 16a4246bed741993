package dev.hapax.client.worker;

import dev.hapax.client.FailureClassifier;
import dev.hapax.client.FailureKind;
import dev.hapax.client.RetryableFailure;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.internal.FailureText;
import dev.hapax.v1.Failure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The classification of a failed attempt.
 *
 * @param retryAfter null = the delay of the step's policy
 */
record TaskVerdict(boolean isFinal, Failure failure, @Nullable Duration retryAfter) {

  private static final Logger log = LoggerFactory.getLogger(TaskVerdict.class);

  static TaskVerdict finalFailure(String code, @Nullable String message) {
    return new TaskVerdict(true, FailureText.describe(code, message), null);
  }

  /** For a task whose completion was sent in a transaction; ignored if that was committed. */
  static TaskVerdict notCommitted() {
    return new TaskVerdict(
        false,
        FailureText.describe(
            "NOT_COMMITTED", "the transaction that completed the task was not committed"),
        null);
  }

  /** The kind that the failure or one of its causes carries, else that of the classifier. */
  static TaskVerdict of(Throwable thrown, FailureClassifier classifier) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof WorkFailure declared) {
        Duration retryAfter =
            declared instanceof RetryableFailure retryable
                ? retryable.retryAfter().orElse(null)
                : null;
        return new TaskVerdict(
            declared.kind() == FailureKind.FINAL, FailureText.of(declared), retryAfter);
      }
    }
    return new TaskVerdict(isFinal(thrown, classifier), FailureText.of(thrown), null);
  }

  private static boolean isFinal(Throwable thrown, FailureClassifier classifier) {
    try {
      // an unknown effect is retryable: the step keeps its id, which is the idempotency key
      return classifier.classify(thrown) == FailureKind.FINAL;
    } catch (RuntimeException broken) {
      log.error("the failure classifier threw; recording a retryable failure", broken);
      return false;
    }
  }

  /** The same verdict without the failure's text, which Hapax rejected. */
  TaskVerdict withoutText() {
    return new TaskVerdict(isFinal, FailureText.describe("FAILED", null), null);
  }
}
