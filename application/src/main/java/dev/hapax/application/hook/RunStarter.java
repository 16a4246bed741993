package dev.hapax.application.hook;

import dev.hapax.application.definition.Definitions;
import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.CancellableFutures;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.hook.StartRunWithHooks;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import java.time.Duration;
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
    return start(request, draw(request));
  }

  /**
   * Starts a run as {@link #start(RunStartRequest)} does, and waits until the run that answers the
   * request has ended. Cancelling the future ends the wait.
   *
   * @param wait 0 = the start is answered at once
   */
  public CompletableFuture<AwaitedStart> start(RunStartRequest request, Duration wait) {
    if (wait.isZero()) {
      return start(request).thenApply(result -> new AwaitedStart(result, Optional.empty()));
    }
    var begun = System.nanoTime();
    var drawn = draw(request);
    var started = new CompletableFuture<RunStartResult>();
    var ended =
        runs.awaitFromStart(
            drawn,
            wait,
            () -> {
              CancellableFutures.relay(
                  CancellableFutures.attempt(() -> start(request, drawn)), started);
              return started
                  .thenApply(result -> result.answer().filter(run -> run.id().equals(drawn)))
                  .exceptionally(_ -> Optional.empty());
            });
    return CancellableFutures.then(
        started,
        result -> {
          var left = wait.minusNanos(System.nanoTime() - begun);
          return result
              .answer()
              .map(run -> run.id().equals(drawn) ? ended : ended(run, left))
              .map(end -> awaited(result, end))
              .orElseGet(
                  () ->
                      CompletableFuture.completedFuture(
                          new AwaitedStart(result, Optional.empty())));
        });
  }

  private CompletableFuture<Optional<Run>> ended(Run run, Duration left) {
    return run.hasEnded() || !left.isPositive()
        ? CompletableFuture.completedFuture(Optional.of(run))
        : CancellableFutures.attempt(() -> runs.await(run.id(), 0, left));
  }

  /** A wait that fails does not fail the start. */
  private static CompletableFuture<AwaitedStart> awaited(
      RunStartResult result, CompletableFuture<Optional<Run>> end) {
    var awaited = new CompletableFuture<AwaitedStart>();
    var _ =
        end.whenComplete(
            (run, failure) ->
                awaited.complete(
                    new AwaitedStart(result, failure == null ? run : result.answer())));
    var _ = awaited.whenComplete((_, _) -> end.cancel(false));
    return awaited;
  }

  private CompletableFuture<RunStartResult> start(RunStartRequest request, RunId run) {
    return definitions
        .guess(request.definition(), request.version())
        .thenCompose(found -> startWith(found, request, run));
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
