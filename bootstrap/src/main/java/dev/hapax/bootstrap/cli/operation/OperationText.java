package dev.hapax.bootstrap.cli.operation;

import dev.hapax.bootstrap.cli.call.CallerText;
import dev.hapax.bootstrap.cli.call.Columns;
import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Operations as text. */
final class OperationText {
  static final Columns<Operation> COLUMNS =
      Columns.of("REQUEST ID", 36, Operation::getRequestId)
          .add("OPERATION", 24, Operation::getOperation)
          .add("ACCOUNT", 16, operation -> ValueFormat.orDash(operation.getAccount()))
          .add("STATE", 13, operation -> EnumOption.text(operation.getState()))
          .add("ATTEMPT", 7, operation -> Integer.toString(operation.getAttempt()))
          .addAged("AGE", 5, (operation, now) -> ValueFormat.age(operation.getStartedAt(), now))
          .addAged(
              "LEASE LEFT",
              13,
              (operation, now) ->
                  operation.getState() == OperationState.OPERATION_STATE_IN_PROGRESS
                      ? ValueFormat.left(operation.getLeaseUntil(), now)
                      : "-");

  private OperationText() {}

  static List<String> details(Operation operation, Instant now) {
    var details = new DetailLines();
    details.add("request id", operation.getRequestId());
    details.add("operation", operation.getOperation());
    details.add("workspace", operation.getWorkspace());
    details.add(
        "account",
        ValueFormat.orDash(operation.getAccount())
            + (operation.getAccountChanging() ? " (changing)" : ""));
    details.add("account after", operation.getAccountAfter());
    details.add("state", EnumOption.text(operation.getState()));
    details.add("attempt", Integer.toString(operation.getAttempt()));
    details.add("fence", Long.toString(operation.getFence()));
    details.add("started", ValueFormat.moment(operation.getStartedAt(), now));
    if (operation.hasLeaseUntil()) {
      details.add("lease left", ValueFormat.left(operation.getLeaseUntil(), now));
    }
    if (operation.hasEndedAt()) {
      details.add("ended", ValueFormat.moment(operation.getEndedAt(), now));
    }
    if (operation.hasExpiresAt()) {
      details.add(
          "expires",
          ValueFormat.instant(operation.getExpiresAt()).truncatedTo(ChronoUnit.SECONDS) + "");
    }
    if (operation.hasResult()) {
      details.add("result", ValueFormat.payload(operation.getResult()));
    }
    if (operation.hasFailure()) {
      details.add("failure", ValueFormat.failure(operation.getFailure()));
    }
    details.add("resolution", operation.getResolution());
    details.add(
        "resolved by",
        CallerText.of(operation.getResolvedBy(), operation.getResolvedByPrincipal()));
    return details.lines();
  }
}
