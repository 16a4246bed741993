package dev.hapax.application.hook;

import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.hook.PassTurn;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.RunId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * Passes tokens to the runs that wait for them: at once, after a commit of this node that calls for
 * it, and by a search, if the node that committed was stopped before.
 */
final class TurnPasses {
  private static final int AT_ONCE = 1_000;

  private final HookReads reads;
  private final Runs runs;
  private final BiConsumer<HookId, RunId> acquired;
  private final FailureLog log = new FailureLog(TurnPasses.class, "pass of a turn");

  /**
   * Passes the turns that commits of this ledger call for.
   *
   * @param acquired takes a token and the run that has acquired it
   */
  TurnPasses(Ledger ledger, HookReads reads, Runs runs, BiConsumer<HookId, RunId> acquired) {
    this.reads = reads;
    this.runs = runs;
    this.acquired = acquired;
    ledger.onChanges(changes -> PassTurn.after(changes).forEach(this::passLogged));
  }

  /** Passes the turns that no node has passed. */
  CompletableFuture<Void> search() {
    return search(Optional.empty());
  }

  private CompletableFuture<Void> search(Optional<HookId> after) {
    return reads
        .unowned(after, AT_ONCE)
        .thenCompose(
            found -> {
              var passed =
                  CompletableFuture.allOf(
                      found.items().stream()
                          .map(token -> pass(new PassTurn(token, Optional.empty())))
                          .toArray(CompletableFuture[]::new));
              return found.next().isEmpty()
                  ? passed
                  : passed.thenCompose(_ -> search(found.next()));
            });
  }

  /** After a failure, the search finds the token. */
  private void passLogged(PassTurn command) {
    var _ = pass(command).whenComplete(log::ended);
  }

  private CompletableFuture<PassTurn.Admitted> pass(PassTurn command) {
    return runs.submit(command, outcome -> outcome.runs().stream())
        .thenCompose(
            outcome -> {
              outcome.runs().forEach(run -> acquired.accept(command.hook(), run.id()));
              return outcome.isUnfinished()
                  ? pass(command)
                  : CompletableFuture.completedFuture(outcome);
            });
  }
}
