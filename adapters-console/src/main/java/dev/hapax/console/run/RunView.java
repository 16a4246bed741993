package dev.hapax.console.run;

import dev.hapax.console.view.Fact;
import dev.hapax.console.view.StatusTag;
import dev.hapax.console.view.TimeSpan;
import dev.hapax.v1.Run;
import java.util.List;
import java.util.Optional;

/**
 * A run with all that its page shows.
 *
 * @param verbs what the visitor may do with it now
 * @param settle the address of the form that settles what failed the run, or its step in doubt
 * @param logs the address of its logs
 * @param why why it is where it is, the most important sentence first
 * @param atLimit whether it waits at a limit of its step
 * @param payloads input, state and output
 */
public record RunView(
    Run run,
    String href,
    StatusTag status,
    List<RunVerb> verbs,
    Optional<String> settle,
    Optional<String> logs,
    List<String> why,
    boolean atLimit,
    TimeSpan span,
    List<StepRow> steps,
    boolean moreSteps,
    List<Fact> facts,
    List<Fact> payloads,
    HistoryPart history) {}
