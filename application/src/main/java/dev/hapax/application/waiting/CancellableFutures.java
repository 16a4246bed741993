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
                follow(result, () -> next.apply(value));
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

  private static <B> void follow(CompletableFuture<B> result, Supplier<CompletableFuture<B>> next) {
    try {
      var second = next.get();
      relay(second, result);
      var _ = result.whenComplete((_, _) -> second.cancel(false));
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }
}
