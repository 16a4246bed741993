package dev.hapax.console.definition;

import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import dev.hapax.console.view.Address;
import dev.hapax.console.view.Fact;
import dev.hapax.console.view.Facts;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.TimerStep;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Shows one version of a definition with its steps. */
public final class DefinitionPage implements ConsolePage {
  private static final Set<String> SHOWN_BESIDE = Set.of("workspace", "name", "version", "steps");

  /** A version of a definition with all that its page shows. */
  public record View(
      String name,
      String version,
      String versionsHref,
      String runsHref,
      List<Row> steps,
      List<Fact> facts) {}

  /**
   * A step.
   *
   * @param kind what does it: {@code task}, {@code timer}, {@code signal} or {@code code}
   * @param what the queue, the time or the signal
   */
  public record Row(int number, String name, String kind, String what, List<Fact> facts) {}

  @Override
  public Reply show(Visit visit) {
    var definition =
        visit
            .api()
            .definitions()
            .getDefinition(
                GetDefinitionRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setName(visit.segment("definition"))
                    .setVersion(visit.segment("version"))
                    .build())
            .getDefinition();
    var facts = new Facts(visit.workspace(), visit.now());
    var name = definition.getName();
    var view =
        new View(
            name,
            definition.getVersion(),
            Address.of(visit.workspace(), "definitions").with("name", name).href(),
            Address.of(visit.workspace(), "runs").with("definition", name).href(),
            IntStream.range(0, definition.getStepsCount())
                .mapToObj(index -> row(index + 1, definition.getSteps(index), facts))
                .toList(),
            facts.of(definition).stream()
                .filter(fact -> !SHOWN_BESIDE.contains(fact.name()))
                .toList());
    return Reply.page(
        Section.DEFINITIONS,
        name + " " + definition.getVersion(),
        "definition/definition.jte",
        view);
  }

  private static Row row(int number, StepDefinition step, Facts facts) {
    return switch (step.getKindCase()) {
      case TASK ->
          row(number, step, "task", "queue " + step.getTask().getQueue(), step.getTask(), facts);
      case CODE ->
          row(number, step, "code", "queue " + step.getCode().getQueue(), step.getCode(), facts);
      case TIMER -> row(number, step, "timer", time(step.getTimer()), step.getTimer(), facts);
      case SIGNAL -> row(number, step, "signal", signal(step.getSignal()), step.getSignal(), facts);
      case KIND_NOT_SET -> new Row(number, step.getName(), "", "", List.of());
    };
  }

  private static Row row(
      int number, StepDefinition step, String kind, String what, Message settings, Facts facts) {
    return new Row(number, step.getName(), kind, what, facts.of(settings));
  }

  private static String time(TimerStep timer) {
    return switch (timer.getTimeCase()) {
      case DURATION -> "for " + Durations.toString(timer.getDuration());
      case UNTIL -> "until " + Timestamps.toString(timer.getUntil());
      case TIME_NOT_SET -> "";
    };
  }

  private static String signal(SignalStep signal) {
    var type = signal.getType().isEmpty() ? "of any type" : "of type " + signal.getType();
    return signal.getHookName().isEmpty() ? type : type + " through hook " + signal.getHookName();
  }
}
