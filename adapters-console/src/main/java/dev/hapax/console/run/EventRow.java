package dev.hapax.console.run;

import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.Fact;
import dev.hapax.console.view.Facts;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * An event of a run.
 *
 * @param what the type in words
 * @param by the actor, with its verified principal
 */
public record EventRow(
    long version,
    DisplayTime at,
    String what,
    String step,
    int attempt,
    String by,
    List<Fact> facts) {
  private static final Set<String> SHOWN_BESIDE =
      Set.of("version", "at", "type", "actor", "principal", "step name", "attempt", "step id");

  static EventRow of(RunEvent event, Facts facts) {
    return new EventRow(
        event.getVersion(),
        DisplayTime.of(event.getAt(), facts.now()),
        words(event.getType()),
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
            .toList());
  }

  private static String words(RunEventType type) {
    return type.name().replace("RUN_EVENT_TYPE_", "").replace('_', ' ').toLowerCase(Locale.ROOT);
  }
}
