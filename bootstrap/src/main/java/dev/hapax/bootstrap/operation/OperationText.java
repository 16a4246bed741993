package dev.hapax.bootstrap.operation;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.JsonFormat;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.Payload;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Operations for people, as of a moment, and for scripts. */
record OperationText(Instant now) {
  private static final List<String> HEAD =
      List.of("REQUEST ID", "OPERATION", "ACCOUNT", "STATE", "ATTEMPT", "AGE", "LEASE LEFT");
  private static final String GAP = "  ";

  /** One object in one line, as protobuf defines it. */
  static String json(Operation operation) throws InvalidProtocolBufferException {
    return JsonFormat.printer().omittingInsignificantWhitespace().print(operation);
  }

  /** A table, columns as wide as they need to be. */
  List<String> table(List<Operation> operations) {
    var rows = new ArrayList<List<String>>();
    rows.add(HEAD);
    operations.forEach(operation -> rows.add(row(operation)));
    var widths = HEAD.stream().map(String::length).toArray(Integer[]::new);
    for (var row : rows) {
      for (int column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column], row.get(column).length());
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, Integer[] widths) {
    var line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      var cell = row.get(column);
      line.append(cell).repeat(' ', widths[column] - cell.length()).append(GAP);
    }
    return line.toString().stripTrailing();
  }

  private List<String> row(Operation operation) {
    return List.of(
        operation.getRequestId(),
        operation.getOperation(),
        orDash(operation.getAccount()),
        State.text(operation.getState()),
        Integer.toString(operation.getAttempt()),
        duration(Duration.between(instant(operation.getStartedAt()), now)),
        operation.getState() == OperationState.OPERATION_STATE_IN_PROGRESS
            ? leaseLeft(operation)
            : "-");
  }

  private String leaseLeft(Operation operation) {
    var left = Duration.between(now, instant(operation.getLeaseUntil()));
    return left.isNegative() ? "over for " + duration(left.negated()) : duration(left);
  }

  /** Everything that is known of one, a line for each field that has a value. */
  List<String> details(Operation operation) {
    var lines = new ArrayList<String>();
    add(lines, "request id", operation.getRequestId());
    add(lines, "operation", operation.getOperation());
    add(lines, "workspace", operation.getWorkspace());
    add(
        lines,
        "account",
        orDash(operation.getAccount()) + (operation.getAccountChanging() ? " (changing)" : ""));
    add(lines, "account after", operation.getAccountAfter());
    add(lines, "state", State.text(operation.getState()));
    add(lines, "attempt", Integer.toString(operation.getAttempt()));
    add(lines, "fence", Long.toString(operation.getFence()));
    add(lines, "started", moment(operation.getStartedAt()));
    if (operation.hasLeaseUntil()) {
      add(lines, "lease left", leaseLeft(operation));
    }
    if (operation.hasEndedAt()) {
      add(lines, "ended", moment(operation.getEndedAt()));
    }
    if (operation.hasExpiresAt()) {
      add(lines, "expires", instant(operation.getExpiresAt()).truncatedTo(ChronoUnit.SECONDS) + "");
    }
    if (operation.hasResult()) {
      add(lines, "result", payload(operation.getResult()));
    }
    if (operation.hasFailure()) {
      var failure = operation.getFailure();
      add(lines, "failure", failure.getCode() + " " + failure.getMessage());
    }
    add(lines, "resolution", operation.getResolution());
    return lines;
  }

  private static void add(List<String> lines, String name, String value) {
    if (!value.isEmpty()) {
      lines.add("%-14s  %s".formatted(name, value.stripTrailing()));
    }
  }

  private static String payload(Payload payload) {
    return payload.hasBinary()
        ? payload.getBinary().size() + " bytes (--json prints them)"
        : payload.getJson();
  }

  private String moment(Timestamp wire) {
    var moment = instant(wire);
    return moment.truncatedTo(ChronoUnit.MILLIS)
        + " ("
        + duration(Duration.between(moment, now))
        + " ago)";
  }

  private static String orDash(String text) {
    return text.isEmpty() ? "-" : text;
  }

  private static Instant instant(Timestamp wire) {
    return Instant.ofEpochSecond(wire.getSeconds(), wire.getNanos());
  }

  /** Roughly: nobody reads seconds of a day. */
  static String duration(Duration duration) {
    if (duration.compareTo(Duration.ofMinutes(2)) < 0) {
      return Math.max(0, duration.toSeconds()) + "s";
    }
    if (duration.compareTo(Duration.ofHours(2)) < 0) {
      return duration.toMinutes() + "m";
    }
    return duration.compareTo(Duration.ofDays(2)) < 0
        ? duration.toHours() + "h"
        : duration.toDays() + "d";
  }
}
