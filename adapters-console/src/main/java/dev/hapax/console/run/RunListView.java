package dev.hapax.console.run;

import dev.hapax.console.view.PageLinks;
import java.util.List;

/**
 * A page of runs.
 *
 * @param pages the way to newer and older runs
 * @param verbs what the visitor may do with all runs that match
 */
public record RunListView(
    RunListFilter filter, List<RunRow> runs, PageLinks pages, List<RunVerb> verbs) {}
