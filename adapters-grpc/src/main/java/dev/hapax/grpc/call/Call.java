package dev.hapax.grpc.call;

import io.grpc.Context;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Answers unary calls from futures; nothing waits in between. */
public final class Call {
  /** What is left of a caller's deadline for the answer to travel in. */
  private static final Duration TRAVEL = Duration.ofMillis(100);

  private Call() {}

  /**
   * Answers with what the future comes to. A caller that goes away cancels it, which ends a wait
   * and undoes nothing.
   */
  public static <O, R> void answer(
      StreamObserver<R> caller, Supplier<CompletableFuture<O>> call, Function<O, R> encode) {
    hand(caller, call, encode, _ -> {});
  }

  /**
   * Answers with something the caller holds from then on.
   *
   * @param call a future that gives back what it comes to when it is cancelled before
   * @param giveBack gets what nobody is there for any more
   */
  public static <O, R> void hand(
      StreamObserver<R> caller,
      Supplier<CompletableFuture<O>> call,
      Function<O, R> encode,
      Consumer<O> giveBack) {
    try {
      var server = (ServerCallStreamObserver<R>) caller;
      var future = call.get();
      server.setOnCancelHandler(() -> future.cancel(false));
      var _ =
          future.whenComplete(
              (outcome, failure) -> {
                if (!server.isCancelled()) {
                  send(caller, outcome, failure, encode);
                } else if (failure == null) {
                  giveBack.accept(outcome);
                }
              });
    } catch (RuntimeException e) {
      caller.onError(Errors.of(e));
    }
  }

  private static <O, R> void send(
      StreamObserver<R> caller, O outcome, Throwable failure, Function<O, R> encode) {
    if (failure != null) {
      caller.onError(Errors.of(failure));
      return;
    }
    R answer;
    try {
      answer = encode.apply(outcome);
    } catch (RuntimeException e) {
      caller.onError(Errors.of(e));
      return;
    }
    caller.onNext(answer);
    caller.onCompleted();
  }

  /** The wait, cut so that its answer comes before the caller's deadline. */
  public static Duration withinDeadline(Duration wait) {
    var deadline = Context.current().getDeadline();
    if (deadline == null || wait.isZero()) {
      return wait;
    }
    var left = Duration.ofNanos(deadline.timeRemaining(TimeUnit.NANOSECONDS)).minus(TRAVEL);
    return left.isNegative() ? Duration.ZERO : left.compareTo(wait) < 0 ? left : wait;
  }
}
