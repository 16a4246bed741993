package dev.hapax.bootstrap.cli.lifecycle;

import dev.hapax.bootstrap.cli.call.CallerText;
import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.cli.call.Table.Column;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.domain.lifecycle.Effect;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleStep;
import dev.hapax.domain.lifecycle.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Lifecycles as text, with ages relative to an instant. */
record LifecycleText(Instant now) {
  private static final String NONE = "-";

  /** The requester of steps for all other requesters; no requester can have this name. */
  private static final String ANY_REQUESTER = "";

  List<String> table(List<dev.hapax.v1.Lifecycle> lifecycles) {
    var table =
        Table.ofWidths(
            new Column("LIFECYCLE", 16),
            new Column("MODULE", 16),
            new Column("VERSION", 7),
            new Column("APPLIED", 9),
            new Column("CLAIM STATES", 24));
    for (var lifecycle : lifecycles) {
      var ago = Duration.between(ValueFormat.instant(lifecycle.getAppliedAt()), now);
      table.add(
          ValueFormat.line(lifecycle.getName()),
          ValueFormat.line(lifecycle.getModule()),
          Long.toString(lifecycle.getVersion()),
          ValueFormat.duration(ago) + " ago",
          ValueFormat.orDash(ValueFormat.line(String.join(", ", lifecycle.getClaimStatesList()))));
    }
    return table.lines();
  }

  List<String> details(dev.hapax.v1.Lifecycle lifecycle) {
    var details = new DetailLines();
    details.add("lifecycle", lifecycle.getName());
    details.add("workspace", lifecycle.getWorkspace());
    details.add("module", lifecycle.getModule());
    details.add("entity", lifecycle.getEntity());
    details.add("version", Long.toString(lifecycle.getVersion()));
    details.add("applied", ValueFormat.moment(lifecycle.getAppliedAt(), now));
    details.add(
        "applied by", CallerText.of(lifecycle.getAppliedBy(), lifecycle.getAppliedByPrincipal()));
    details.add("reason", lifecycle.getReason());
    details.add("statuses", String.join(", ", lifecycle.getStatusTypesList()));
    details.add("claim states", String.join(", ", lifecycle.getClaimStatesList()));
    return details.lines();
  }

  /** Returns a table of the transitions, by step and requester. */
  List<String> steps(Lifecycle lifecycle) {
    var table =
        new Table("STEP", "REQUESTER", "FROM", "CLAIMED", "TO", "ELSE", "ACTION", "AFTER-EFFECT");
    for (var step : lifecycle.steps()) {
      requesters(step)
          .flatMap(name -> step.transition(name).stream())
          .forEach(move -> add(table, move));
    }
    return table.lines();
  }

  private static Stream<String> requesters(LifecycleStep step) {
    var named = new TreeSet<String>();
    Stream.of(step.to(), step.claim(), step.action(), step.effect())
        .forEach(field -> named.addAll(field.named().keySet()));
    return Stream.concat(named.stream(), Stream.of(ANY_REQUESTER));
  }

  private static void add(Table table, Transition move) {
    table.add(
        ValueFormat.line(move.step()),
        move.requester().equals(ANY_REQUESTER) ? "any" : ValueFormat.line(move.requester()),
        ValueFormat.line(move.from()),
        ValueFormat.line(move.claim().map(states -> states.into()).orElse(NONE)),
        ValueFormat.line(move.to()),
        ValueFormat.line(move.claim().map(states -> states.revertTo()).orElse(move.from())),
        ValueFormat.line(move.action().orElse(NONE)),
        ValueFormat.line(move.effect().map(Effect::name).orElse(NONE)));
  }
}
