package dev.hapax.bootstrap.startup.lifecycle;

import com.google.rpc.Code;
import dev.hapax.application.lifecycle.ApplyAnswer;
import dev.hapax.v1.Error;
import dev.hapax.v1.ErrorReason;
import java.util.Optional;
import java.util.Set;

/** Converts errors of the API about lifecycles and contracts. */
public final class ApplyErrors {
  /** Reasons besides those of a failed precondition. */
  private static final Set<ErrorReason> REFUSALS =
      Set.of(ErrorReason.ERROR_REASON_DEFINITION_NOT_FOUND, ErrorReason.ERROR_REASON_LIMIT_REACHED);

  private ApplyErrors() {}

  /** Returns the answer that the error is; empty if it says nothing about what was sent. */
  public static Optional<ApplyAnswer> answer(Error error) {
    if (error.getReason() == ErrorReason.ERROR_REASON_LIFECYCLE_CHANGING) {
      return Optional.of(new ApplyAnswer.Changing());
    }
    return error.getCode() == Code.FAILED_PRECONDITION_VALUE || REFUSALS.contains(error.getReason())
        ? Optional.of(refused(error))
        : Optional.empty();
  }

  static ApplyAnswer.Refused refused(Error error) {
    return new ApplyAnswer.Refused(
        error.getMessage(),
        error.getPreconditionViolationsList().stream()
            .map(each -> "%s: %s".formatted(each.getSubject(), each.getDescription()))
            .toList());
  }
}
