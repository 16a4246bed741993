package dev.hapax.application.hook;

import dev.hapax.application.run.Runs;
import dev.hapax.domain.hook.CreateHook;
import dev.hapax.domain.hook.CreateHookOutcome;
import dev.hapax.domain.hook.DisposeHook;
import dev.hapax.domain.hook.DisposeHookOutcome;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.hook.RetryOutcome;
import dev.hapax.domain.hook.RetryRunWithHooks;
import dev.hapax.domain.hook.SignalHook;
import dev.hapax.domain.hook.SignalHookOutcome;
import dev.hapax.domain.hook.StartRunWithHook;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.RetryRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.StartOutcome;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Creates, signals and disposes of hook tokens. The owner of a token is found during the decision;
 * a decision that needs the record of a run it did not lock is repeated with that run.
 */
public final class Hooks {
  private final Ledger ledger;
  private final HookReads reads;
  private final Runs runs;
  private final RecentOwners recent = new RecentOwners();

  public Hooks(Ledger ledger, HookReads reads, Runs runs) {
    this.ledger = ledger;
    this.reads = reads;
    this.runs = runs;
  }

  /** Starts a run that owns hook tokens. */
  public CompletableFuture<StartOutcome> start(StartRunWithHook command) {
    return runs.start(command, command.start().run())
        .thenCompose(
            outcome ->
                outcome instanceof StartOutcome.KnowFirst(var found)
                    ? start(command.knowing(found))
                    : CompletableFuture.completedFuture(outcome));
  }

  public CompletableFuture<CreateHookOutcome> create(CreateHook command) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome -> {
              if (outcome instanceof CreateHookOutcome.KnowFirst(var owner)) {
                return create(command.knowing(owner));
              }
              if (outcome instanceof CreateHookOutcome.Owned(_, _, var from)) {
                from.ifPresent(runs::onRunChanged);
              }
              return CompletableFuture.completedFuture(outcome);
            });
  }

  public CompletableFuture<SignalHookOutcome> signal(SignalHook command) {
    return decide(recent.of(command.hook()).map(command::knowing).orElse(command));
  }

  private CompletableFuture<SignalHookOutcome> decide(SignalHook command) {
    var decided =
        command
            .known()
            .map(owner -> runs.submit(command, owner, Hooks::changed))
            .orElseGet(() -> ledger.submit(command));
    return decided.thenCompose(
        outcome -> {
          if (outcome instanceof SignalHookOutcome.KnowFirst(var owner)) {
            recent.keep(command.hook(), owner);
            return decide(command.knowing(owner));
          }
          return CompletableFuture.completedFuture(outcome);
        });
  }

  private static Stream<Run> changed(SignalHookOutcome outcome) {
    return outcome instanceof SignalHookOutcome.Accepted(var owner, _)
        ? Stream.of(owner)
        : Stream.empty();
  }

  public CompletableFuture<DisposeHookOutcome> dispose(DisposeHook command) {
    return ledger
        .submit(command)
        .thenCompose(
            outcome ->
                outcome instanceof DisposeHookOutcome.KnowFirst(var owner)
                    ? dispose(command.knowing(owner))
                    : CompletableFuture.completedFuture(outcome));
  }

  /** Finds the owner of a token; empty = no run owns it. */
  public CompletableFuture<Optional<HookReads.Owned>> find(HookId id) {
    return reads.find(id);
  }

  /** Retries a failed run with the tokens that it owned. A repeated request changes nothing. */
  public CompletableFuture<RetryOutcome> retry(RetryRun command) {
    return runs.isRetried(command.run(), command.requestId())
        .thenCompose(
            already ->
                runs.find(command.run())
                    .thenCompose(
                        found ->
                            already || found.isEmpty()
                                ? CompletableFuture.completedFuture(unchanged(found))
                                : retry(command, found.get())));
  }

  private static RetryOutcome unchanged(Optional<Run> found) {
    return new RetryOutcome.Decided(
        found
            .<ControlOutcome>map(ControlOutcome.Applied::new)
            .orElseGet(ControlOutcome.NotFound::new));
  }

  private CompletableFuture<RetryOutcome> retry(RetryRun command, Run run) {
    return reads
        .held(run.id())
        .thenCompose(
            tokens -> retry(new RetryRunWithHooks(command, run.version(), tokens, Set.of())));
  }

  private CompletableFuture<RetryOutcome> retry(RetryRunWithHooks command) {
    return runs.submit(command, command.retry().run(), Hooks::changed)
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case RetryOutcome.KnowFirst(var owner) -> retry(command.knowing(owner));
                  case RetryOutcome.Outdated() -> retry(command.retry());
                  case RetryOutcome.Decided _, RetryOutcome.Conflict _ ->
                      CompletableFuture.completedFuture(outcome);
                });
  }

  private static Stream<Run> changed(RetryOutcome outcome) {
    return outcome instanceof RetryOutcome.Decided(ControlOutcome.Applied(var run))
        ? Stream.of(run)
        : Stream.empty();
  }
}
