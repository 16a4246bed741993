package dev.hapax.application.hook;

import dev.hapax.application.run.Explanation;
import dev.hapax.application.run.Runs;
import dev.hapax.domain.hook.CreateHook;
import dev.hapax.domain.hook.CreateHookOutcome;
import dev.hapax.domain.hook.DisposeHook;
import dev.hapax.domain.hook.DisposeHookOutcome;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.hook.ReopenOutcome;
import dev.hapax.domain.hook.ReopenRunWithHooks;
import dev.hapax.domain.hook.SignalHook;
import dev.hapax.domain.hook.SignalHookOutcome;
import dev.hapax.domain.hook.StartRunWithHooks;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.ReopenRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.StartOutcome;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Gives tokens to runs, reaches runs by them, and lets runs wait for them. */
public final class Hooks {
  private final Ledger ledger;
  private final HookReads reads;
  private final Runs runs;
  private final TurnPasses turns;
  private final RecentOwners recent = new RecentOwners();

  public Hooks(Ledger ledger, HookReads reads, Runs runs) {
    this.ledger = ledger;
    this.reads = reads;
    this.runs = runs;
    this.turns = new TurnPasses(ledger, reads, runs, this::remember);
  }

  /** Passes the turns of tokens that no node has passed. */
  public CompletableFuture<Void> passTurns() {
    return turns.search();
  }

  /** Explains why the run does not progress, and which runs wait behind it. */
  public CompletableFuture<Explanation> explain(Run run) {
    return runs.explain(run)
        .thenCombine(new TurnExplainer(reads, run).sentences(), Explanation::with);
  }

  /** Starts a run that owns hook tokens. */
  public CompletableFuture<StartOutcome> start(StartRunWithHooks command) {
    return runs.start(command.start(), command)
        .thenApply(
            outcome -> {
              owner(outcome)
                  .ifPresent(
                      run -> command.wanted().forEach(token -> remember(token.hook(), run.id())));
              return outcome;
            });
  }

  /** The run that owns the tokens since this start. */
  private static Optional<Run> owner(StartOutcome outcome) {
    return switch (outcome) {
      case StartOutcome.Created(var run) -> Optional.of(run);
      case StartOutcome.Restarted(var run, _) -> Optional.of(run);
      case StartOutcome.Superseded(var run, _) -> Optional.of(run);
      case StartOutcome.Queued _,
          StartOutcome.Existing _,
          StartOutcome.KeyReused _,
          StartOutcome.Rejected _,
          StartOutcome.UsedExisting _,
          StartOutcome.Signalled _,
          StartOutcome.SignalRefused _,
          StartOutcome.DefinitionOutdated _ ->
          Optional.empty();
    };
  }

  public CompletableFuture<CreateHookOutcome> create(CreateHook command) {
    return ledger
        .submit(command)
        .thenApply(
            outcome -> {
              if (outcome instanceof CreateHookOutcome.Owned(_, var owner, var from, _)) {
                recent.keep(command.hook(), owner.id());
                from.ifPresent(runs::onRunChanged);
              }
              return outcome;
            });
  }

  public CompletableFuture<SignalHookOutcome> signal(SignalHook command) {
    return runs.submit(expecting(command), Hooks::changed)
        .thenApply(
            outcome -> {
              changed(outcome).forEach(owner -> recent.keep(command.hook(), owner.id()));
              return outcome;
            });
  }

  /** Returns the command with the likely owner of its token, if this node knows one. */
  public SignalHook expecting(SignalHook command) {
    return recent.of(command.hook()).map(command::expecting).orElse(command);
  }

  /** Remembers that a run has acquired a token. */
  public void remember(HookId hook, RunId owner) {
    recent.keep(hook, owner);
  }

  private static Stream<Run> changed(SignalHookOutcome outcome) {
    return outcome instanceof SignalHookOutcome.Accepted(var owner, _)
        ? Stream.of(owner)
        : Stream.empty();
  }

  public CompletableFuture<DisposeHookOutcome> dispose(DisposeHook command) {
    return ledger.submit(command);
  }

  /** Finds a token; empty = no run owns it or waits for it. */
  public CompletableFuture<Optional<HookReads.Found>> find(HookId id) {
    return reads.find(id);
  }

  /**
   * Retries or settles a failed run with the tokens that it owned. A repeated request changes
   * nothing.
   */
  public CompletableFuture<ReopenOutcome> reopen(ReopenRun command) {
    return runs.isReopened(command.run(), command.requestId())
        .thenCompose(
            already ->
                runs.find(command.run())
                    .thenCompose(
                        found ->
                            already || found.isEmpty()
                                ? CompletableFuture.completedFuture(unchanged(found))
                                : reopen(command, found.get())));
  }

  private static ReopenOutcome unchanged(Optional<Run> found) {
    return new ReopenOutcome.Decided(
        found
            .<ControlOutcome>map(run -> new ControlOutcome.Applied(run, true))
            .orElseGet(ControlOutcome.NotFound::new));
  }

  private CompletableFuture<ReopenOutcome> reopen(ReopenRun command, Run run) {
    return reads
        .held(run.id())
        .thenCompose(tokens -> reopen(new ReopenRunWithHooks(command, run.version(), tokens)));
  }

  private CompletableFuture<ReopenOutcome> reopen(ReopenRunWithHooks command) {
    return runs.submit(command, Hooks::changed)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case ReopenOutcome.Outdated() -> reopen(command.command());
                  case ReopenOutcome.Decided _, ReopenOutcome.Conflict _ ->
                      CompletableFuture.completedFuture(outcome);
                });
  }

  private static Stream<Run> changed(ReopenOutcome outcome) {
    return outcome instanceof ReopenOutcome.Decided(ControlOutcome.Applied(var run, _))
        ? Stream.of(run)
        : Stream.empty();
  }
}
