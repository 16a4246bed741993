package dev.hapax.console.run;

import com.google.protobuf.util.Durations;
import dev.hapax.console.view.Address;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.DurationFormat;
import dev.hapax.console.view.Fact;
import dev.hapax.console.view.Facts;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * An event of a run.
 *
 * @param after the time from the creation of the run
 * @param what the type in words
 * @param by the actor, with its verified principal
 */
public record EventRow(
    long version,
    DisplayTime at,
    String after,
    String what,
    String step,
    int attempt,
    String by,
    List<Fact> facts) {
  private static final String LIMIT = "limit";
  private static final Set<String> SHOWN_BESIDE =
      Set.of("version", "at", "type", "actor", "principal", "step name", "attempt", "step id");

  static EventRow of(RunEvent event, Run run, Facts facts) {
    var at = DisplayTime.of(event.getAt(), facts.now());
    var created = DisplayTime.of(run.getCreatedAt(), facts.now()).at();
    return new EventRow(
        event.getVersion(),
        at,
        "+" + DurationFormat.exact(Duration.between(created, at.at())),
        words(event),
        event.getStepName(),
        event.getAttempt(),
        event.getPrincipal().isEmpty()
            ? event.getActor()
            : event.getActor() + " (" + event.getPrincipal() + ")",
        facts.of(event).stream()
            .filter(fact -> !SHOWN_BESIDE.contains(fact.name()))
            // the attributes of the type, without the group around them
            .flatMap(
                fact ->
                    fact.value() instanceof Fact.Group(var inner)
                        ? inner.stream()
                        : List.of(fact).stream())
            .map(
                fact ->
                    event.hasBlocked() && fact.name().equals(LIMIT)
                        ? linked(event.getBlocked(), facts)
                        : fact)
            .toList());
  }

  private static Fact linked(RunEvent.Blocked blocked, Facts facts) {
    var limits = Address.of(facts.workspace(), "limits").with("name", blocked.getLimit());
    return new Fact(LIMIT, new Fact.Link(blocked.getLimit(), limits.href()));
  }

  private static String words(RunEvent event) {
    return words(event.getType())
        + (event.getBlocked().getLimit().isEmpty() ? "" : atLimit(event.getBlocked()))
        + (event.hasAdmitted() ? after(event.getAdmitted()) : "");
  }

  private static String atLimit(RunEvent.Blocked blocked) {
    return " at limit "
        + blocked.getLimit()
        + (blocked.getLimitKey().isEmpty() ? "" : " of " + blocked.getLimitKey())
        + (blocked.getOfDefinition() ? ", to start" : "");
  }

  private static String after(RunEvent.Admitted admitted) {
    return " after "
        + DurationFormat.exact(Duration.ofMillis(Durations.toMillis(admitted.getWaited())));
  }

  private static String words(RunEventType type) {
    return type.name().replace("RUN_EVENT_TYPE_", "").replace('_', ' ').toLowerCase(Locale.ROOT);
  }
}
