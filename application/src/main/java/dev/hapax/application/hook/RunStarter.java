package dev.hapax.application.hook;

import dev.hapax.application.definition.Definitions;
import dev.hapax.application.run.Runs;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.hook.StartRunWithHooks;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Starts runs by the name of their definition, with or without tokens. */
public final class RunStarter {
  private final Definitions definitions;
  private final Runs runs;
  private final Hooks hooks;

  public RunStarter(Definitions definitions, Runs runs, Hooks hooks) {
    this.definitions = definitions;
    this.runs = runs;
    this.hooks = hooks;
  }

  /** Starts a run, unless the idempotency key or a token of the request leads to one. */
  public CompletableFuture<RunStartResult> start(RunStartRequest request) {
    return definitions
        .guess(request.definition(), request.version())
        .thenCompose(found -> startWith(found, request, draw(request)));
  }

  private RunId draw(RunStartRequest request) {
    return new RunId(request.definition().workspace(), runs.draw());
  }

  private CompletableFuture<RunStartResult> startWith(
      Optional<Definition> found, RunStartRequest request, RunId run) {
    return found
        .map(definition -> start(request, command(request, run, definition)))
        .orElseGet(
            () ->
                done(
                    new RunStartResult.DefinitionNotFound(
                        request.definition(), request.version())));
  }

  private static StartRun command(RunStartRequest request, RunId run, Definition definition) {
    return new StartRun(
        run,
        definition,
        request.version().isEmpty(),
        request.parameters(),
        request.startAt(),
        request.key(),
        request.signal(),
        request.by());
  }

  private CompletableFuture<RunStartResult> start(RunStartRequest request, StartRun command) {
    if (!request.hooks().isEmpty() && !command.definition().limits().isEmpty()) {
      return done(new RunStartResult.TokensRefused());
    }
    var outcome =
        request.hooks().isEmpty()
            ? runs.start(command)
            : hooks.start(new StartRunWithHooks(command, request.hooks()));
    return outcome.thenCompose(decided -> result(request, command.run(), decided));
  }

  private CompletableFuture<RunStartResult> result(
      RunStartRequest request, RunId run, StartOutcome outcome) {
    return switch (outcome) {
      case StartOutcome.Created(var created) -> done(new RunStartResult.Created(created));
      case StartOutcome.Superseded(var created, var from) ->
          done(new RunStartResult.Superseded(created, from));
      case StartOutcome.Queued(var created, var ahead, var instead) ->
          done(new RunStartResult.Queued(created, ahead, instead));
      case StartOutcome.Restarted(var created, var from) ->
          done(new RunStartResult.Restarted(created, from));
      case StartOutcome.Existing(var existing) -> existing(existing);
      case StartOutcome.KeyReused(var existing, var started) ->
          runs.find(existing)
              .thenApply(
                  found ->
                      new RunStartResult.KeyReused(
                          existing, started, request.key().orElseThrow().request(), found));
      case StartOutcome.Rejected(var owner) -> done(new RunStartResult.Rejected(owner));
      case StartOutcome.UsedExisting(var owner) -> done(new RunStartResult.UsedExisting(owner));
      case StartOutcome.Signalled(var owner, var disposition) ->
          done(new RunStartResult.Signalled(owner, disposition));
      case StartOutcome.SignalRefused(_, var full) -> done(new RunStartResult.SignalRefused(full));
      case StartOutcome.DefinitionOutdated(var latest) -> startLatest(request, run, latest);
    };
  }

  /** Retries with the version that the decision named: this node's latest version was outdated. */
  private CompletableFuture<RunStartResult> startLatest(
      RunStartRequest request, RunId run, Optional<DefinitionId> latest) {
    return definitions
        .correctLatest(request.definition(), latest)
        .thenCompose(found -> startWith(found, request, run));
  }

  private CompletableFuture<RunStartResult> existing(RunId run) {
    return runs.find(run)
        .thenApply(
            found ->
                found
                    .<RunStartResult>map(RunStartResult.Existing::new)
                    .orElseGet(RunStartResult.RunNotFound::new));
  }

  private static CompletableFuture<RunStartResult> done(RunStartResult result) {
    return CompletableFuture.completedFuture(result);
  }
}
