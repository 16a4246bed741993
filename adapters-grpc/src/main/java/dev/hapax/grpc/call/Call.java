package dev.hapax.grpc.call;

import com.google.protobuf.MessageLite;
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
    hand(caller, call, encode, giveBack, AnswerBudget.OF_PROCESS);
  }

  /** Answers within a budget. */
  static <O, R> void hand(
      StreamObserver<R> caller,
      Supplier<CompletableFuture<O>> call,
      Function<O, R> encode,
      Consumer<O> giveBack,
      AnswerBudget budget) {
    try {
      var server = (ServerCallStreamObserver<R>) caller;
      var future = call.get();
      var gone = new CompletableFuture<Void>();
      server.setOnCloseHandler(() -> gone.complete(null));
      server.setOnCancelHandler(
          () -> {
            future.cancel(false);
            gone.complete(null);
          });
      var _ =
          future.whenComplete(
              (outcome, failure) -> {
                if (failure == null) {
                  new Answer<>(server, outcome, encode, giveBack, budget, gone).send();
                } else if (!server.isCancelled()) {
                  caller.onError(Errors.of(failure));
                }
              });
    } catch (RuntimeException e) {
      caller.onError(Errors.of(e));
    }
  }

  /** An outcome on its way to the caller; encoded only when it may be sent. */
  private record Answer<O, R>(
      ServerCallStreamObserver<R> caller,
      O outcome,
      Function<O, R> encode,
      Consumer<O> giveBack,
      AnswerBudget budget,
      CompletableFuture<Void> gone) {

    void send() {
      encoded(
          answer -> {
            if (budget.admit(size(answer), gone, this::sendInTurn)) {
              write(answer);
            }
          });
    }

    private void sendInTurn() {
      encoded(
          answer -> {
            budget.count(size(answer), gone);
            write(answer);
          });
    }

    private void encoded(Consumer<R> then) {
      if (caller.isCancelled()) {
        giveBack.accept(outcome);
        return;
      }
      R answer;
      try {
        answer = encode.apply(outcome);
      } catch (RuntimeException e) {
        caller.onError(Errors.of(e));
        return;
      }
      then.accept(answer);
    }

    private void write(R answer) {
      caller.onNext(answer);
      caller.onCompleted();
    }

    private static int size(Object answer) {
      return answer instanceof MessageLite message ? message.getSerializedSize() : 0;
    }
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
