package dev.hapax.console.janitor;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.DurationFormat;
import dev.hapax.console.view.StatusTag;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.JanitorMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A janitor in a list.
 *
 * @param status whether it is declared and on schedule
 * @param mode who sweeps: {@code hosted} is this server; empty = it is not declared
 * @param lastSweep empty = it has not swept
 * @param lag for how long it is late; empty = it is on schedule
 * @param uncovered how many claim states no janitor recovers
 */
public record JanitorRow(
    String module,
    String href,
    StatusTag status,
    String mode,
    Optional<DisplayTime> lastSweep,
    int freed,
    String lag,
    long uncovered) {
  private static final String REMOTE = "remote";

  static JanitorRow of(Janitor janitor, Instant now) {
    var lag = Duration.ofSeconds(janitor.getLag().getSeconds(), janitor.getLag().getNanos());
    return new JanitorRow(
        janitor.getModule(),
        Address.of(janitor.getWorkspace(), "janitors", janitor.getModule()).href(),
        status(janitor),
        janitor.hasContract() ? mode(janitor) : "",
        DisplayTime.optional(janitor.hasLastSweep(), janitor.getLastSweep(), now),
        janitor.getLastFreed(),
        lag.isPositive() ? DurationFormat.exact(lag) : "",
        janitor.getCoverageList().stream().filter(each -> !each.getCovered()).count());
  }

  /** What it does again and again: a remote one polls. */
  public String round() {
    return mode.equals(REMOTE) ? "poll" : "sweep";
  }

  private static StatusTag status(Janitor janitor) {
    if (!janitor.hasContract()) {
      return StatusTag.of("not declared", "failed");
    }
    return janitor.getOverdue()
        ? StatusTag.of("overdue", "failed")
        : StatusTag.of("on schedule", "done");
  }

  private static String mode(Janitor janitor) {
    return isHosted(janitor) ? "hosted" : REMOTE;
  }

  /** Whether this server sweeps for the module. */
  static boolean isHosted(Janitor janitor) {
    return janitor.hasContract()
        && janitor.getContract().getMode() != JanitorMode.JANITOR_MODE_REMOTE;
  }
}
