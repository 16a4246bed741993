package dev.hapax.bootstrap.cli.run;

import static dev.hapax.v1.RunStatus.RUN_STATUS_FAILED;
import static dev.hapax.v1.RunStatus.RUN_STATUS_PAUSED;
import static dev.hapax.v1.RunStatus.RUN_STATUS_PENDING;
import static dev.hapax.v1.RunStatus.RUN_STATUS_RUNNING;
import static dev.hapax.v1.RunStatus.RUN_STATUS_WAITING;

import dev.hapax.client.Control;
import dev.hapax.client.Controlled;
import dev.hapax.client.Runs;
import dev.hapax.v1.RunStatus;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The control commands for runs. */
enum ControlVerb {
  CANCEL(
      "cancelled",
      EnumSet.of(RUN_STATUS_PENDING, RUN_STATUS_RUNNING, RUN_STATUS_WAITING, RUN_STATUS_PAUSED),
      "Cancel runs. Their workers get a request to stop."),
  PAUSE(
      "paused",
      EnumSet.of(RUN_STATUS_RUNNING, RUN_STATUS_WAITING),
      "Pause runs: no more of their tasks are dispatched. Running tasks may complete."),
  RESUME("resumed", EnumSet.of(RUN_STATUS_PAUSED), "Resume paused runs."),
  RETRY("retried", EnumSet.of(RUN_STATUS_FAILED), "Retry failed runs from the step that failed.");

  private final String done;
  private final Set<RunStatus> from;
  private final String description;

  ControlVerb(String done, Set<RunStatus> from, String description) {
    this.done = done;
    this.from = from;
    this.description = description;
  }

  /** Returns the name of the command. */
  String command() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the past participle, such as "cancelled". */
  String done() {
    return done;
  }

  /** Returns the statuses that allow this change. */
  Set<RunStatus> from() {
    return Set.copyOf(from);
  }

  String description() {
    return description;
  }

  /** Applies the change to one run. */
  Controlled apply(Runs runs, String id, Control change) {
    return switch (this) {
      case CANCEL -> runs.cancel(id, change);
      case PAUSE -> runs.pause(id, change);
      case RESUME -> runs.resume(id, change);
      case RETRY -> runs.retry(id, change);
    };
  }
}
