package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.StartRunResponse;
import java.util.Locale;
import java.util.Optional;

/** The disposition of a start as text. */
final class DispositionText {
  private DispositionText() {}

  /** Returns the verb for the run. */
  static String verb(StartRunResponse response) {
    return switch (response.getDisposition()) {
      case DISPOSITION_CREATED, DISPOSITION_SUPERSEDED -> "started";
      case DISPOSITION_QUEUED -> "queued";
      case DISPOSITION_SIGNALED -> "signalled";
      case DISPOSITION_EXISTING,
          DISPOSITION_USED_EXISTING,
          DISPOSITION_REJECTED,
          DISPOSITION_UNSPECIFIED,
          UNRECOGNIZED ->
          "found";
    };
  }

  /** Returns the line before the run; empty for a created run that replaces none. */
  static Optional<String> head(StartRunResponse response) {
    return switch (response.getDisposition()) {
      case DISPOSITION_EXISTING -> Optional.of("already started with this key; current state:");
      case DISPOSITION_USED_EXISTING ->
          Optional.of("the token already has an owner; current state:");
      case DISPOSITION_SIGNALED ->
          Optional.of("the token already has an owner, which received the signal; current state:");
      case DISPOSITION_SUPERSEDED -> Optional.of("superseded " + response.getOwner().getRunId());
      case DISPOSITION_QUEUED -> Optional.of(queued(response));
      case DISPOSITION_CREATED ->
          response.getSupersededRunIdsList().stream()
              .findFirst()
              .map(earlier -> "restarted " + earlier + " with this request");
      case DISPOSITION_REJECTED, DISPOSITION_UNSPECIFIED, UNRECOGNIZED -> Optional.empty();
    };
  }

  private static String queued(StartRunResponse response) {
    var line =
        switch (response.getRunsAhead()) {
          case 0 -> "waits for its token, first in line";
          case 1 -> "waits for its token behind another run in line";
          default ->
              String.format(
                  Locale.ROOT,
                  "waits for its token behind %d other runs in line",
                  response.getRunsAhead());
        };
    return response.getSupersededRunIdsCount() == 0
        ? line
        : line + ", instead of " + String.join(", ", response.getSupersededRunIdsList());
  }

  static String rejected(StartRunResponse response) {
    return "no run was started: the token belongs to %s, which is %s"
        .formatted(
            response.getOwner().getRunId(), ValueFormat.status(response.getOwner().getStatus()));
  }
}
