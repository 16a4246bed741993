package dev.hapax.bootstrap.cli.janitor;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.Columns;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.DeclareJanitorResponse;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Function;

/** Janitors and their contracts as text. */
final class JanitorText {
  private static final String NONE = "-";

  static final Columns<Janitor> COLUMNS =
      Columns.<Janitor>of("MODULE", 16, janitor -> ValueFormat.line(janitor.getModule()))
          .add("MODE", 6, ofContract(contract -> mode(contract.getMode())))
          .add("STALE AFTER", 11, ofContract(it -> ValueFormat.length(it.getStaleAfter())))
          .add("EVERY", 6, ofContract(contract -> ValueFormat.length(contract.getEvery())))
          .addAged("LAST SWEEP", 9, JanitorText::lastSweep)
          .add(
              "FREED",
              5,
              janitor -> janitor.hasLastSweep() ? Integer.toString(janitor.getLastFreed()) : NONE)
          .add("STATE", 16, JanitorText::state)
          .add("COVERS", 24, ofContract(contract -> ValueFormat.line(covered(contract, NONE))));

  private JanitorText() {}

  private static Function<Janitor, String> ofContract(Function<JanitorContract, String> text) {
    return janitor -> janitor.hasContract() ? text.apply(janitor.getContract()) : NONE;
  }

  private static String mode(JanitorMode mode) {
    return EnumOption.text(mode).toLowerCase(Locale.ROOT);
  }

  private static String lastSweep(Janitor janitor, Instant now) {
    if (!janitor.hasContract()) {
      return NONE;
    }
    return janitor.hasLastSweep() ? ValueFormat.ago(janitor.getLastSweep(), now) : "never";
  }

  /** Returns the state; an uncovered claim state is more important than a late sweep. */
  private static String state(Janitor janitor) {
    if (!janitor.hasContract()) {
      return "not declared";
    }
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

  /** Returns the answer to a declaration. */
  static String declared(DeclareJanitorResponse response) {
    var contract = response.getContract();
    return "%s: %s covers %s; stale after %s, every %s, %s"
        .formatted(
            response.getAlready() ? "already declared" : "declared",
            contract.getModule(),
            covered(contract, "nothing"),
            ValueFormat.length(contract.getStaleAfter()),
            ValueFormat.length(contract.getEvery()),
            mode(contract.getMode()));
  }

  private static String covered(JanitorContract contract, String nothing) {
    if (contract.getAllClaimStates()) {
      return "all claim states";
    }
    return contract.getClaimStatesCount() == 0
        ? nothing
        : String.join(", ", contract.getClaimStatesList());
  }
}
