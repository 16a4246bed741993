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
    answer(caller, call, encode, AnswerBudget.OF_PROCESS);
  }

  /** Answers within a budget. */
  static <O, R> void answer(
      StreamObserver<R> caller,
      Supplier<CompletableFuture<O>> call,
      Function<O, R> encode,
      AnswerBudget budget) {
    run(
        caller,
        call,
        (server, outcome, gone) -> new Answer<>(server, outcome, encode, budget, gone).send());
  }

  /**
   * Answers with something the caller holds from then on. It is sent at once, however much is under
   * way: a grant that waited here would lose its lease.
   *
   * @param call a future that gives back what it comes to when it is cancelled before
   * @param giveBack gets what no caller gets
   */
  public static <O, R> void hand(
      StreamObserver<R> caller,
      Supplier<CompletableFuture<O>> call,
      Function<O, R> encode,
      Consumer<O> giveBack) {
    run(
        caller,
        call,
        (server, outcome, gone) -> {
          if (server.isCancelled()) {
            giveBack.accept(outcome);
            return;
          }
          R answer;
          try {
            answer = encode.apply(outcome);
          } catch (RuntimeException e) {
            giveBack.accept(outcome);
            throw e;
          }
          AnswerBudget.OF_PROCESS.count(size(answer), gone);
          write(server, answer);
        });
  }

  /** Sends an outcome, or throws. */
  private interface Sender<O, R> {
    void send(ServerCallStreamObserver<R> caller, O outcome, CompletableFuture<Void> gone);
  }

  private static <O, R> void run(
      StreamObserver<R> caller, Supplier<CompletableFuture<O>> call, Sender<O, R> sender) {
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
                  orFail(caller, () -> sender.send(server, outcome, gone));
                } else if (!server.isCancelled()) {
                  caller.onError(Errors.of(failure));
                }
              });
    } catch (RuntimeException e) {
      caller.onError(Errors.of(e));
    }
  }

  private static void orFail(StreamObserver<?> caller, Runnable send) {
    try {
      send.run();
    } catch (RuntimeException e) {
      caller.onError(Errors.of(e));
    }
  }

  private static <R> void write(StreamObserver<R> caller, R answer) {
    caller.onNext(answer);
    caller.onCompleted();
  }

  private static int size(Object answer) {
    return answer instanceof MessageLite message ? message.getSerializedSize() : 0;
  }

  /** An outcome on its way to the caller; encoded only when it may be sent. */
  private record Answer<O, R>(
      ServerCallStreamObserver<R> caller,
      O outcome,
      Function<O, R> encode,
      AnswerBudget budget,
      CompletableFuture<Void> gone) {

    void send() {
      if (!caller.isCancelled()) {
        var answer = encode.apply(outcome);
        if (budget.admit(size(answer), gone, () -> orFail(caller, this::sendInTurn))) {
          write(caller, answer);
        }
      }
    }

    private void sendInTurn() {
      if (!caller.isCancelled()) {
        var answer = encode.apply(outcome);
        budget.count(size(answer), gone);
        write(caller, answer);
      }
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
