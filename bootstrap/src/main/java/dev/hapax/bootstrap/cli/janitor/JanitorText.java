package dev.hapax.bootstrap.cli.janitor;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.cli.call.Table.Column;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Janitors as text, with ages relative to an instant. */
record JanitorText(Instant now) {
  private static final String NONE = "-";
  private static final String MODE = "JANITOR_MODE_";

  List<String> table(List<Janitor> janitors) {
    var table =
        Table.ofWidths(
            new Column("MODULE", 16),
            new Column("MODE", 6),
            new Column("STALE AFTER", 11),
            new Column("EVERY", 6),
            new Column("LAST SWEEP", 9),
            new Column("FREED", 5),
            new Column("STATE", 16),
            new Column("COVERS", 24));
    for (var janitor : janitors) {
      if (janitor.hasContract()) {
        var contract = janitor.getContract();
        table.add(
            ValueFormat.line(janitor.getModule()),
            mode(contract.getMode()),
            ValueFormat.length(contract.getStaleAfter()),
            ValueFormat.length(contract.getEvery()),
            janitor.hasLastSweep() ? ago(janitor) : "never",
            janitor.hasLastSweep() ? Integer.toString(janitor.getLastFreed()) : NONE,
            state(janitor),
            ValueFormat.line(covers(janitor)));
      } else {
        table.add(
            ValueFormat.line(janitor.getModule()),
            NONE,
            NONE,
            NONE,
            NONE,
            NONE,
            "not declared",
            NONE);
      }
    }
    return table.lines();
  }

  static String mode(JanitorMode mode) {
    return mode.name().replace(MODE, "").toLowerCase(Locale.ROOT);
  }

  private String ago(Janitor janitor) {
    return ValueFormat.duration(Duration.between(ValueFormat.instant(janitor.getLastSweep()), now))
        + " ago";
  }

  /** Returns the state; an uncovered claim state is more important than a late sweep. */
  private static String state(Janitor janitor) {
    var uncovered =
        janitor.getCoverageList().stream()
            .filter(coverage -> !coverage.getCovered())
            .map(coverage -> coverage.getClaimState() + " of " + coverage.getLifecycle())
            .toList();
    if (!uncovered.isEmpty()) {
      return ValueFormat.line("does not cover " + String.join(", ", uncovered));
    }
    return janitor.getOverdue()
        ? "OVERDUE by "
            + ValueFormat.duration(Duration.ofMillis(Durations.toMillis(janitor.getLag())))
        : "on schedule";
  }

  private static String covers(Janitor janitor) {
    return covered(janitor.getContract(), NONE);
  }

  /** Returns the claim states of a contract. */
  static String covered(JanitorContract contract, String nothing) {
    if (contract.getAllClaimStates()) {
      return "all claim states";
    }
    return contract.getClaimStatesCount() == 0
        ? nothing
        : String.join(", ", contract.getClaimStatesList());
  }
}
