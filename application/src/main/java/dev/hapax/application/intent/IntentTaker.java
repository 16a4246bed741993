package dev.hapax.application.intent;

import dev.hapax.application.definition.Definitions;
import dev.hapax.application.hook.Hooks;
import dev.hapax.application.run.Runs;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.entity.CompleteHeldAction;
import dev.hapax.domain.hook.SignalHook;
import dev.hapax.domain.hook.StartRunWithHooks;
import dev.hapax.domain.intent.IntentCommand;
import dev.hapax.domain.intent.IntentError;
import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.intent.IntentRequest;
import dev.hapax.domain.intent.PostedIntent;
import dev.hapax.domain.intent.TakeIntent;
import dev.hapax.domain.intent.TakeOutcome;
import dev.hapax.domain.operation.CompleteOperation;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.StartRun;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Takes one intent: by the command of its rpc, with the ticket as the id of a new run. */
final class IntentTaker {
  private static final System.Logger LOG = System.getLogger(IntentTaker.class.getName());

  private final Definitions definitions;
  private final Runs runs;
  private final Hooks hooks;
  private final StartFingerprints fingerprints;

  IntentTaker(Definitions definitions, Runs runs, Hooks hooks, StartFingerprints fingerprints) {
    this.definitions = definitions;
    this.runs = runs;
    this.hooks = hooks;
    this.fingerprints = fingerprints;
  }

  /** Takes it. The outcome is never {@link TakeOutcome.Outdated}. */
  CompletableFuture<TakeOutcome> take(PostedIntent intent) {
    var actor = intent.posted().origin().actor();
    return switch (intent.request()) {
      case IntentRequest.Start start -> start(intent, start);
      case IntentRequest.SignalTo(var run, var signal) ->
          submit(intent, new IntentCommand.SignalTo(signal.to(run, actor)));
      case IntentRequest.SignalThrough(var hook, var signal) ->
          submit(
              intent,
              new IntentCommand.SignalThrough(
                  hooks.expecting(new SignalHook(hook, signal, Optional.empty(), actor))));
      case IntentRequest.Cancel(var run, var reason) ->
          submit(
              intent,
              new IntentCommand.Cancel(
                  new ControlRun(
                      run, ControlRun.Verb.CANCEL, reason, OptionalLong.empty(), actor)));
      case IntentRequest.CompleteAction(var entity, var nonce, var output, var trace) ->
          submit(
              intent,
              new IntentCommand.ActionCompletion(
                  new CompleteHeldAction(
                      entity,
                      nonce,
                      output,
                      new RunId(entity.workspace(), runs.draw()),
                      trace,
                      actor)));
      case IntentRequest.CompleteTask(var claim, var output, var patch) ->
          submit(
              intent,
              new IntentCommand.TaskCompletion(
                  new CompleteTask(
                      claim,
                      output,
                      patch,
                      List.of(),
                      false,
                      OptionalLong.empty(),
                      actor.principal())));
      case IntentRequest.CompleteOperation(var claim, var result, var accountAfter) ->
          submit(
              intent,
              new IntentCommand.OperationCompletion(
                  new CompleteOperation(claim, result, accountAfter)));
      case IntentRequest.Malformed(var detail) ->
          fail(intent, IntentError.INVALID_ARGUMENT, detail);
    };
  }

  /** Takes it without effect. */
  CompletableFuture<TakeOutcome> fail(PostedIntent intent, IntentError error, String detail) {
    return submit(intent, new IntentCommand.Fail(error, detail));
  }

  private CompletableFuture<TakeOutcome> submit(PostedIntent intent, IntentCommand command) {
    return runs.submit(new TakeIntent(intent.id(), command), IntentTaker::changed)
        .thenApply(outcome -> logged(intent, outcome));
  }

  private static TakeOutcome logged(PostedIntent intent, TakeOutcome outcome) {
    if (outcome instanceof TakeOutcome.Taken(IntentOutcome.Failed failed, _)
        && failed.error() == IntentError.INTERNAL) {
      LOG.log(Level.ERROR, "intent failed: {0}, {1}", intent.id(), failed.detail());
    }
    return outcome;
  }

  private static Stream<Run> changed(TakeOutcome outcome) {
    return outcome instanceof TakeOutcome.Taken(_, var changed) ? changed.stream() : Stream.empty();
  }

  private CompletableFuture<TakeOutcome> start(PostedIntent intent, IntentRequest.Start start) {
    Optional<StartRun.Key> key;
    try {
      key =
          start
              .key()
              .map(
                  sent ->
                      new StartRun.Key(
                          sent.id(), fingerprints.of(start), sent.retention(), sent.onMismatch()));
    } catch (InvalidValueException e) {
      return fail(intent, IntentError.INVALID_ARGUMENT, "input " + e.rule());
    }
    return definitions
        .guess(start.definition(), start.version())
        .thenCompose(found -> start(intent, start, key, found));
  }

  private CompletableFuture<TakeOutcome> start(
      PostedIntent intent,
      IntentRequest.Start start,
      Optional<StartRun.Key> key,
      Optional<Definition> found) {
    if (found.isEmpty()) {
      return fail(intent, IntentError.DEFINITION_NOT_FOUND, name(start));
    }
    if (start.hook().isPresent() && !found.get().limits().isEmpty()) {
      return fail(
          intent, IntentError.INVALID_ARGUMENT, "token must be empty: the definition has limits");
    }
    return submit(intent, command(intent, start, key, found.get()))
        .thenCompose(
            outcome ->
                outcome instanceof TakeOutcome.Outdated(var latest)
                    ? definitions
                        .correctLatest(start.definition(), latest)
                        .thenCompose(corrected -> start(intent, start, key, corrected))
                    : CompletableFuture.completedFuture(outcome))
        .thenApply(
            outcome -> {
              rememberOwner(start, outcome);
              return outcome;
            });
  }

  private static String name(IntentRequest.Start start) {
    return start.definition().name()
        + start.version().map(version -> " version " + version).orElse("");
  }

  private static IntentCommand.Start command(
      PostedIntent intent,
      IntentRequest.Start start,
      Optional<StartRun.Key> key,
      Definition definition) {
    var run =
        new StartRun(
            start.run(),
            definition,
            start.version().isEmpty(),
            start.parameters(),
            start.startAt(),
            key,
            start.signal(),
            intent.posted().origin().actor());
    return start
        .hook()
        .map(token -> new IntentCommand.Start(new StartRunWithHooks(run, List.of(token))))
        .orElseGet(() -> new IntentCommand.Start(run));
  }

  private void rememberOwner(IntentRequest.Start start, TakeOutcome outcome) {
    if (outcome instanceof TakeOutcome.Taken(IntentOutcome.Started started, _)
        && started.run().filter(start.run()::equals).isPresent()) {
      start.hook().ifPresent(token -> hooks.remember(token.hook(), start.run()));
    }
  }
}
