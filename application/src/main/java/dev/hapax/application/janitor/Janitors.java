package dev.hapax.application.janitor;

import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.Places;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.CompleteRecovery;
import dev.hapax.domain.entity.CompleteRecoveryOutcome;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.janitor.DeclareJanitor;
import dev.hapax.domain.janitor.DeclareJanitorOutcome;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.janitor.JanitorReads.Watched;
import dev.hapax.domain.janitor.Uncovered;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Who takes entities back whose holder is gone: this server, or the module that asks it. */
public final class Janitors {
  private final Ledger ledger;
  private final JanitorReads reads;
  private final Runs runs;

  /**
   * Puts it together.
   *
   * @param random draws nonces
   */
  public Janitors(
      Ledger ledger,
      EntityReads entities,
      JanitorReads reads,
      Runs runs,
      Places places,
      LongSupplier random,
      ScheduledExecutorService timer) {
    this.ledger = ledger;
    this.reads = reads;
    this.runs = runs;
  }

  /** Begins to sweep for the janitors that this server is. */
  public void start() {}

  /** An id for the run of an after-effect to come. */
  public RunId draw(Workspace workspace) {
    return new RunId(workspace, runs.draw());
  }

  /** Takes a module's promise, or its change. */
  public CompletableFuture<DeclareJanitorOutcome> declare(DeclareJanitor command) {
    return ledger.submit(command);
  }

  /** All of a workspace, or of all of them, as they are now. */
  public CompletableFuture<List<Watched>> list(Optional<Workspace> workspace) {
    return reads.list(workspace);
  }

  /**
   * All of all workspaces, as they were a few seconds ago: asks nobody. Empty before {@link
   * #start}.
   */
  public List<Watched> watched() {
    return List.of();
  }

  /** Claim states that nothing frees, of all workspaces that have some. */
  public CompletableFuture<Map<Workspace, List<Uncovered>>> uncovered() {
    return reads
        .list(Optional.empty())
        .thenApply(
            all ->
                all.stream()
                    .filter(watched -> !watched.janitor().uncovered().isEmpty())
                    .collect(
                        Collectors.groupingBy(
                            watched -> watched.id().workspace(),
                            Collectors.flatMapping(
                                watched -> watched.janitor().uncovered().stream(),
                                Collectors.toList()))));
  }

  /** Sweeps now, a bounded number of claims. */
  public CompletableFuture<SweepOutcome> sweep(JanitorId janitor) {
    return CompletableFuture.completedFuture(new SweepOutcome.NotFound());
  }

  /**
   * Recoveries, as soon as something is stuck. The same attempt again gets the same, renewed.
   * Cancelling the future frees the place; what was granted meanwhile is held until its lease ends.
   */
  public CompletableFuture<PollOutcome> poll(PollRecoveries request, Duration wait) {
    return CompletableFuture.completedFuture(new PollOutcome.NotFound());
  }

  /** Takes what a module has found. */
  public CompletableFuture<CompleteRecoveryOutcome> complete(CompleteRecovery command) {
    return ledger.submit(command);
  }

  /** Answers every poll with what it has, also those to come. */
  public void stopWaiting() {}
}
