package dev.hapax.application.hook;

import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.CancellableFutures;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Waits for runs by id, idempotency key or token. */
public record RunWaits(Runs runs, Hooks hooks) {

  /** Names a run. */
  public sealed interface Target {
    record ById(RunId run) implements Target {}

    record ByKey(RunKeyId key) implements Target {}

    record ByToken(HookId token) implements Target {}
  }

  /** The result of a wait. */
  public sealed interface Result {
    /** The run, which may not have reached the requested version if the wait timed out. */
    record Found(Run run) implements Result {}

    record RunNotFound() implements Result {}

    record TokenNotFound() implements Result {}
  }

  /**
   * Waits until the run has ended or is past a version. Cancelling the future ends the wait.
   *
   * @param after 0 = only until it has ended
   * @param timeout 0 = the run is read at once
   */
  public CompletableFuture<Result> await(Target target, long after, Duration timeout) {
    return switch (target) {
      case Target.ById(var run) -> await(run, after, timeout);
      case Target.ByKey(var key) ->
          CancellableFutures.then(
              runs.keyed(key),
              run ->
                  run.map(id -> await(id, after, timeout))
                      .orElseGet(() -> done(new Result.RunNotFound())));
      case Target.ByToken(var token) ->
          CancellableFutures.then(
              hooks.find(token),
              found ->
                  found
                      .map(state -> await(state.run(), after, timeout))
                      .orElseGet(() -> done(new Result.TokenNotFound())));
    };
  }

  private CompletableFuture<Result> await(RunId run, long after, Duration timeout) {
    var read = timeout.isZero() ? runs.find(run) : runs.await(run, after, timeout);
    return CancellableFutures.then(read, found -> done(result(found)));
  }

  private static Result result(Optional<Run> found) {
    return found.<Result>map(Result.Found::new).orElseGet(Result.RunNotFound::new);
  }

  private static CompletableFuture<Result> done(Result result) {
    return CompletableFuture.completedFuture(result);
  }
}
