package dev.hapax.bootstrap.cli.lifecycle;

import dev.hapax.bootstrap.cli.call.CallerText;
import dev.hapax.bootstrap.cli.call.Columns;
import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.domain.lifecycle.Effect;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleStep;
import dev.hapax.domain.lifecycle.Transition;
import dev.hapax.grpc.lifecycle.ParsedLifecycle;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Lifecycles as text. */
final class LifecycleText {
  private static final String NONE = "-";

  /** The requester of steps for all other requesters; no requester can have this name. */
  private static final String ANY_REQUESTER = "";

  static final Columns<dev.hapax.v1.Lifecycle> COLUMNS =
      Columns.<dev.hapax.v1.Lifecycle>of("LIFECYCLE", 16, it -> ValueFormat.line(it.getName()))
          .add("MODULE", 16, lifecycle -> ValueFormat.line(lifecycle.getModule()))
          .add("VERSION", 7, lifecycle -> Long.toString(lifecycle.getVersion()))
          .addAged("APPLIED", 9, (lifecycle, now) -> ValueFormat.ago(lifecycle.getAppliedAt(), now))
          .add("CLAIM STATES", 24, it -> ValueFormat.list(it.getClaimStatesList()));

  private LifecycleText() {}

  /** Returns the details and a table of the transitions. */
  static List<String> lines(dev.hapax.v1.Lifecycle lifecycle, Instant now) throws IOException {
    return Stream.of(details(lifecycle, now), List.of(""), steps(parse(lifecycle)))
        .flatMap(List::stream)
        .toList();
  }

  /** Parses the lifecycle of a server; fails if it uses features of a newer one. */
  static Lifecycle parse(dev.hapax.v1.Lifecycle lifecycle) throws IOException {
    return ParsedLifecycle.read(lifecycle.getJson())
        .lifecycle()
        .orElseThrow(
            () ->
                new IOException(
                    "lifecycle \"%s\" uses features of a newer version: use a hapax as new as the server"
                        .formatted(lifecycle.getName())));
  }

  private static List<String> details(dev.hapax.v1.Lifecycle lifecycle, Instant now) {
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
  private static List<String> steps(Lifecycle lifecycle) {
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
