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
 * What a failed attempt is to Hapax.
 *
 * @param retryAfter null = as the step's policy says
 */
record TaskVerdict(boolean isFinal, Failure failure, @Nullable Duration retryAfter) {

  private static final Logger log = LoggerFactory.getLogger(TaskVerdict.class);

  static TaskVerdict forGood(String code, @Nullable String message) {
    return new TaskVerdict(true, FailureText.describe(code, message), null);
  }

  /** What the work declared itself, anywhere among the causes; else what the classifier says. */
  static TaskVerdict of(Throwable thrown, FailureClassifier classifier) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof WorkFailure declared) {
        Duration retryAfter =
            declared instanceof RetryableFailure retryable ? retryable.retryAfter().orElse(null) : null;
        return new TaskVerdict(declared.kind() == FailureKind.FINAL, FailureText.of(declared), retryAfter);
      }
    }
    return new TaskVerdict(isFinal(thrown, classifier), FailureText.of(thrown), null);
  }

  private static boolean isFinal(Throwable thrown, FailureClassifier classifier) {
    try {
      // an unknown effect is no reason to stop: the step has the same id when it is tried again
      return classifier.classify(thrown) == FailureKind.FINAL;
    } catch (RuntimeException broken) {
      log.error("the failure classifier threw; the failure counts as retryable", broken);
      return false;
    }
  }

  /** The same, in words that Hapax takes whatever it disliked. */
  TaskVerdict withoutText() {
    return new TaskVerdict(isFinal, FailureText.describe("FAILED", null), null);
  }
}
