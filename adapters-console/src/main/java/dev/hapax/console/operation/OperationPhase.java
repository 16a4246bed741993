package dev.hapax.console.operation;

import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.StatusTag;
import dev.hapax.v1.Operation;
import java.time.Instant;

/** The state of an operation, and whether its holder is late. */
public enum OperationPhase {
  HELD("in progress", "active"),
  EXPIRED("lease expired", "failed"),
  INDETERMINATE("indeterminate", "held"),
  RELEASED("released", "waiting"),
  COMPLETED("completed", "done"),
  REJECTED("rejected", "failed"),
  UNKNOWN("unknown", "off");

  private final StatusTag tag;

  OperationPhase(String word, String tone) {
    tag = StatusTag.of(word, tone);
  }

  public StatusTag tag() {
    return tag;
  }

  static OperationPhase of(Operation operation, Instant now) {
    return switch (operation.getState()) {
      case OPERATION_STATE_IN_PROGRESS ->
          DisplayTime.of(operation.getLeaseUntil(), now).at().isAfter(now) ? HELD : EXPIRED;
      case OPERATION_STATE_INDETERMINATE -> INDETERMINATE;
      case OPERATION_STATE_RELEASED -> RELEASED;
      case OPERATION_STATE_COMPLETED -> COMPLETED;
      case OPERATION_STATE_REJECTED -> REJECTED;
      case OPERATION_STATE_UNSPECIFIED, UNRECOGNIZED -> UNKNOWN;
    };
  }
}
