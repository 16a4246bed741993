package dev.hapax.console.run;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.Fact;
import dev.hapax.console.view.Facts;
import dev.hapax.console.view.LogLink;
import dev.hapax.console.view.Section;
import dev.hapax.console.view.StatusTag;
import dev.hapax.console.view.TimeSpan;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.ExplainReason;
import dev.hapax.v1.ExplainRunRequest;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.Run;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Shows one run: why it waits, its steps, its payloads and its history. */
public final class RunPage implements ConsolePage {
  static final int MAX_STEPS = 500;

  /** The labels of an after-effect. */
  private static final String LIFECYCLE = "hapax.lifecycle";

  private static final String ENTITY = "hapax.entity";
  private static final Set<String> PAYLOADS = Set.of("input", "state", "output");
  private static final Set<String> IN_TITLE = Set.of("id", "workspace", "status");

  private final Optional<LogLink> logs;

  /**
   * @param logs where the logs of a run are
   */
  public RunPage(Optional<LogLink> logs) {
    this.logs = logs;
  }

  @Override
  public Reply show(Visit visit) {
    var id = visit.segment("run");
    var request = GetRunRequest.newBuilder().setWorkspace(visit.workspace()).setRunId(id).build();
    var run = visit.api().runs().getRun(request).getRun();
    var why =
        visit
            .api()
            .runs()
            .explainRun(
                ExplainRunRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setRunId(id)
                    .build());
    var steps =
        visit
            .api()
            .runs()
            .listSteps(
                ListStepsRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setRunId(id)
                    .setPageSize(MAX_STEPS)
                    .build());
    var facts = new Facts(visit.workspace(), visit.now());
    var span = span(run, visit);
    var settleable = Settleable.of(visit, run, steps.getStepsList());
    var view =
        new RunView(
            run,
            Address.ofRun(visit.workspace(), id).href(),
            StatusTag.of(run.getStatus()),
            Arrays.stream(RunVerb.values())
                .filter(verb -> verb.isFor(run.getStatus()) && visit.may(verb.permission()))
                .toList(),
            settleable.form(),
            logs.map(link -> link.href(visit.workspace(), id)),
            why.getSentencesList(),
            why.getReason() == ExplainReason.EXPLAIN_REASON_LIMIT,
            span,
            steps.getStepsList().stream()
                .map(step -> StepRow.of(step, span, settleable, facts))
                .toList(),
            !steps.getNextPageToken().isEmpty(),
            about(run, facts),
            only(facts.of(run), PAYLOADS::contains),
            HistoryPart.read(visit, run, facts));
    return Reply.page(Section.RUNS, run.getDefinition() + " " + id, "run/run.jte", view);
  }

  private static List<Fact> about(Run run, Facts facts) {
    var all = only(facts.of(run), name -> !PAYLOADS.contains(name) && !IN_TITLE.contains(name));
    var labels = run.getLabelsMap();
    if (!labels.containsKey(LIFECYCLE) || !labels.containsKey(ENTITY)) {
      return all;
    }
    var lifecycle = labels.get(LIFECYCLE);
    var entity = labels.get(ENTITY);
    return Stream.concat(
            Stream.of(
                new Fact(
                    "after-effect of",
                    new Fact.Link(
                        lifecycle + "/" + entity,
                        Address.ofEntity(facts.workspace(), lifecycle, entity).href()))),
            all.stream())
        .toList();
  }

  private static List<Fact> only(List<Fact> facts, Predicate<String> wanted) {
    return facts.stream().filter(fact -> wanted.test(fact.name())).toList();
  }

  /** From the first step on; a run that has not begun has waited since its creation. */
  private static TimeSpan span(Run run, Visit visit) {
    var from = run.hasStartedAt() ? run.getStartedAt() : run.getCreatedAt();
    return new TimeSpan(
        DisplayTime.of(from, visit.now()).at(),
        run.hasEndedAt() ? DisplayTime.of(run.getEndedAt(), visit.now()).at() : visit.now());
  }
}
