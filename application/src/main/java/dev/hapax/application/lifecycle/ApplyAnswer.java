package dev.hapax.bootstrap.startup.lifecycle;

import com.google.rpc.Code;
import dev.hapax.v1.Error;
import dev.hapax.v1.ErrorReason;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The answer of a server to a lifecycle or contract. */
public sealed interface ApplyAnswer {
  /** Reasons besides those of a failed precondition. */
  Set<ErrorReason> REFUSALS =
      Set.of(ErrorReason.ERROR_REASON_DEFINITION_NOT_FOUND, ErrorReason.ERROR_REASON_LIMIT_REACHED);

  /**
   * The file is applied.
   *
   * @param already whether it was applied before
   */
  record Done(boolean already) implements ApplyAnswer {}

  /**
   * The file is rejected.
   *
   * @param blockers objects that prevent the change
   */
  record Refused(String why, List<String> blockers) implements ApplyAnswer {
    public Refused {
      blockers = List.copyOf(blockers);
    }

    /** Returns the reason, then a line for each blocker. */
    String text() {
      return String.join("\n    ", why, String.join("\n    ", blockers)).stripTrailing();
    }
  }

  /** Another client is changing it; this takes seconds. */
  record Changing() implements ApplyAnswer {}

  /** Converts an error about a file; empty for any other error. */
  static Optional<ApplyAnswer> of(Error error) {
    if (error.getReason() == ErrorReason.ERROR_REASON_LIFECYCLE_CHANGING) {
      return Optional.of(new Changing());
    }
    return error.getCode() == Code.FAILED_PRECONDITION_VALUE || REFUSALS.contains(error.getReason())
        ? Optional.of(refused(error))
        : Optional.empty();
  }

  /** Converts an error that rejects a file. */
  static Refused refused(Error error) {
    return new Refused(
        error.getMessage(),
        error.getPreconditionViolationsList().stream()
            .map(each -> "%s: %s".formatted(each.getSubject(), each.getDescription()))
            .toList());
  }
}
