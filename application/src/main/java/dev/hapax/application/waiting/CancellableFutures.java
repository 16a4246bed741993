package dev.hapax.application.waiting;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Chains futures so that cancelling the result cancels the pending one. */
public final class CancellableFutures {
  private CancellableFutures() {}

  /** Like {@code thenCompose}, but cancelling the result also cancels the future it waits for. */
  public static <A, B> CompletableFuture<B> then(
      CompletableFuture<A> first, Function<A, CompletableFuture<B>> next) {
    var result = new CompletableFuture<B>();
    var _ = result.whenComplete((_, _) -> first.cancel(false));
    var _ =
        first.whenComplete(
            (value, failure) -> {
              if (failure != null) {
                result.completeExceptionally(failure);
              } else if (!result.isDone()) {
                var second = attempt(() -> next.apply(value));
                relay(second, result);
                var _ = result.whenComplete((_, _) -> second.cancel(false));
              }
            });
    return result;
  }

  /** Completes the second future as the first one completes. */
  public static <A> void relay(CompletableFuture<A> from, CompletableFuture<A> to) {
    var _ =
        from.whenComplete(
            (value, failure) -> {
              if (failure != null) {
                to.completeExceptionally(failure);
              } else {
                to.complete(value);
              }
            });
  }

  /** Returns the future of this call; a failed one if it throws. */
  public static <A> CompletableFuture<A> attempt(Supplier<CompletableFuture<A>> call) {
    try {
      return call.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
