package dev.hapax.bootstrap.cli.operation;

import dev.hapax.bootstrap.cli.call.CallerText;
import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.cli.call.Table.Column;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationState;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Operations as text, with ages relative to an instant. */
record OperationText(Instant now) {
  List<String> table(List<Operation> operations) {
    var table =
        Table.ofWidths(
            new Column("REQUEST ID", 36),
            new Column("OPERATION", 24),
            new Column("ACCOUNT", 16),
            new Column("STATE", 13),
            new Column("ATTEMPT", 7),
            new Column("AGE", 5),
            new Column("LEASE LEFT", 13));
    for (var operation : operations) {
      table.add(
          operation.getRequestId(),
          operation.getOperation(),
          ValueFormat.orDash(operation.getAccount()),
          OperationStateOption.text(operation.getState()),
          Integer.toString(operation.getAttempt()),
          ValueFormat.duration(
              Duration.between(ValueFormat.instant(operation.getStartedAt()), now)),
          operation.getState() == OperationState.OPERATION_STATE_IN_PROGRESS
              ? ValueFormat.left(operation.getLeaseUntil(), now)
              : "-");
    }
    return table.lines();
  }

  List<String> details(Operation operation) {
    var details = new DetailLines();
    details.add("request id", operation.getRequestId());
    details.add("operation", operation.getOperation());
    details.add("workspace", operation.getWorkspace());
    details.add(
        "account",
        ValueFormat.orDash(operation.getAccount())
            + (operation.getAccountChanging() ? " (changing)" : ""));
    details.add("account after", operation.getAccountAfter());
    details.add("state", OperationStateOption.text(operation.getState()));
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
