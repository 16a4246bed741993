package dev.hapax.console.run;

import java.util.List;
import java.util.Optional;

/**
 * A page of runs.
 *
 * @param next the address of the page of older runs
 * @param verbs what the visitor may do with all runs that match
 * @param first the address of the newest runs; empty = this page has them
 */
public record RunListView(
    RunListFilter filter,
    List<RunRow> runs,
    Optional<String> next,
    Optional<String> first,
    List<RunVerb> verbs) {}
