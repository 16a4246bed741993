package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.StartRunResponse;
import java.util.Optional;

/** What became of a start, for people. */
final class DispositionText {
  private DispositionText() {}

  /** What happened to the run that is named next. */
  static String verb(StartRunResponse response) {
    return switch (response.getDisposition()) {
      case DISPOSITION_CREATED, DISPOSITION_SUPERSEDED -> "started";
      case DISPOSITION_SIGNALED -> "signalled";
      case DISPOSITION_EXISTING,
          DISPOSITION_USED_EXISTING,
          DISPOSITION_REJECTED,
          DISPOSITION_UNSPECIFIED,
          UNRECOGNIZED ->
          "found";
    };
  }

  /** What to say before a run that is shown; of one that was created it says all itself. */
  static Optional<String> head(StartRunResponse response) {
    return switch (response.getDisposition()) {
      case DISPOSITION_EXISTING -> Optional.of("started already by this key; as it is now:");
      case DISPOSITION_USED_EXISTING ->
          Optional.of("the token has an owner already; as it is now:");
      case DISPOSITION_SIGNALED ->
          Optional.of("the token has an owner already, which got the signal; as it is now:");
      case DISPOSITION_SUPERSEDED ->
          Optional.of("took the token from " + response.getOwner().getRunId());
      case DISPOSITION_CREATED, DISPOSITION_REJECTED, DISPOSITION_UNSPECIFIED, UNRECOGNIZED ->
          Optional.empty();
    };
  }

  static String rejected(StartRunResponse response) {
    return "nothing was started: the token belongs to %s, which is %s"
        .formatted(
            response.getOwner().getRunId(), ValueFormat.status(response.getOwner().getStatus()));
  }
}
