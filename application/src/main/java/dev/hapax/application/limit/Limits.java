package dev.hapax.application.limit;

import dev.hapax.application.hook.Hooks;
import dev.hapax.application.run.Explanation;
import dev.hapax.application.run.Runs;
import dev.hapax.domain.DurationText;
import dev.hapax.domain.Page;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.limit.LimitKey;
import dev.hapax.domain.limit.LimitReads;
import dev.hapax.domain.limit.LimitedStep;
import dev.hapax.domain.limit.SetLimit;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;

/** Sets and shows limits, and admits the runs that wait at them. */
public final class Limits {
  private final Ledger ledger;
  private final LimitReads reads;
  private final Hooks hooks;
  private final RunAdmissions admissions;
  private final LineSearch search;

  public Limits(Ledger ledger, LimitReads reads, Runs runs, Hooks hooks) {
    this.ledger = ledger;
    this.reads = reads;
    this.hooks = hooks;
    this.admissions = new RunAdmissions(ledger, reads, runs);
    this.search = new LineSearch(reads, hooks::passTurns, admissions::search);
  }

  /** Begins to search for runs in lines, of tokens too, that no node has let go on. */
  public void searchLinesBy(ScheduledExecutorService timer) {
    admissions.timeBy(timer);
    search.startBy(timer);
  }

  /** The search for runs in lines. */
  public Loop loop() {
    return search.loop();
  }

  /** Sets a limit, and admits runs for which it has room now; the search admits what is left. */
  public CompletableFuture<SetLimit.Done> set(SetLimit command) {
    return ledger
        .submit(command)
        .thenCompose(
            done ->
                done.already()
                    ? CompletableFuture.completedFuture(done)
                    : admissions.roomFor(command.id()).handle((_, _) -> done));
  }

  public CompletableFuture<Page<LimitReads.Found, LimitKey>> list(LimitReads.Query query) {
    return reads.list(query);
  }

  /**
   * Explains why the run does not progress, which runs wait behind it, and before which it waits.
   */
  public CompletableFuture<Explanation> explain(Run run) {
    var explanation = hooks.explain(run);
    return run.blocked()
        .filter(_ -> !run.tokens().isAwaiting())
        .map(blocked -> explanation.thenCombine(sentences(run, blocked), Explanation::with))
        .orElse(explanation);
  }

  private CompletableFuture<List<String>> sentences(Run run, Phase.Blocked blocked) {
    var lines =
        LimitedStep.of(run).lines().stream().map(line -> sentence(line, blocked.turn())).toList();
    return CompletableFuture.allOf(lines.toArray(CompletableFuture[]::new))
        .thenApply(_ -> lines.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<String> sentence(LimitedStep.Line line, long turn) {
    return reads
        .find(line.key())
        .thenCombine(reads.ahead(line.key(), turn), (found, ahead) -> sentence(line, found, ahead));
  }

  private static String sentence(
      LimitedStep.Line line, Optional<LimitReads.Found> found, int ahead) {
    var value = line.key().value();
    var numbers = found.map(limit -> limit.numbers(line.numbers())).orElseGet(line::numbers);
    var parts = new ArrayList<String>();
    numbers
        .maxRunning()
        .ifPresent(
            max ->
                parts.add(
                    String.format(
                        Locale.ROOT,
                        "%s of %d %s",
                        runs(found.map(LimitReads.Found::running).orElse(0)),
                        max,
                        line.key().ofDefinitions() ? "have started" : "at the step")));
    numbers
        .rate()
        .ifPresent(
            rate ->
                parts.add(
                    String.format(
                        Locale.ROOT,
                        "at most %d %s in %s",
                        rate.starts(),
                        rate.starts() == 1 ? "start" : "starts",
                        DurationText.format(rate.per()))));
    found
        .flatMap(LimitReads.Found::next)
        .ifPresent(next -> parts.add("the next one may start at " + next));
    parts.add(ahead == 0 ? "it is first in line" : runs(ahead) + " before it in line");
    return String.format(
        Locale.ROOT,
        "Limit \"%s\"%s: %s.",
        line.key().name(),
        value.isEmpty() ? "" : " (\"%s\")".formatted(value),
        String.join(", ", parts));
  }

  private static String runs(int number) {
    return number == 1 ? "1 run" : String.format(Locale.ROOT, "%d runs", number);
  }
}
