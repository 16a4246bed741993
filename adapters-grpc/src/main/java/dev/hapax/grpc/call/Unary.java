package dev.hapax.grpc.call;

import com.google.protobuf.MessageLite;
import io.grpc.Context;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Answers unary calls from futures, without blocking a thread. Every handler has the same form:
 * decode, call the use case, encode. The last step runs only when the response may be sent, so that
 * responses that wait for their turn take no memory.
 */
public final class Unary {
  /** The part of a caller's deadline that is reserved for the response to travel in. */
  private static final Duration TRAVEL = Duration.ofMillis(100);

  private Unary() {}

  /**
   * Responds with the encoded outcome of the future. A caller that cancels the call cancels the
   * future, which ends a wait and undoes nothing.
   *
   * @param call decodes the request and calls the use case
   */
  public static <O, R> void respond(
      StreamObserver<R> caller, Supplier<CompletableFuture<O>> call, Function<O, R> encode) {
    respond(caller, call, encode, AnswerBudget.OF_PROCESS);
  }

  /** Responds as above, for a response that depends on the decoded request as well. */
  public static <C, O, R> void respond(
      StreamObserver<R> caller,
      Supplier<C> decode,
      Function<? super C, CompletableFuture<O>> call,
      BiFunction<? super C, ? super O, R> encode) {
    C command;
    try {
      command = decode.get();
    } catch (RuntimeException e) {
      caller.onError(GrpcErrors.of(e));
      return;
    }
    respond(caller, () -> call.apply(command), outcome -> encode.apply(command, outcome));
  }

  /** Responds within a budget. */
  static <O, R> void respond(
      StreamObserver<R> caller,
      Supplier<CompletableFuture<O>> call,
      Function<O, R> encode,
      AnswerBudget budget) {
    run(
        caller,
        call,
        (server, outcome, closed) ->
            new Response<>(server, outcome, encode, budget, closed).send());
  }

  /**
   * Responds with a grant that the caller holds from then on. It is sent at once, whatever the
   * budget: the lease of a grant that waited here would expire.
   *
   * @param call a future that releases the grant itself if it is cancelled before it completes
   * @param releaseGrant receives a grant that does not reach the caller
   */
  public static <O, R> void respondWithGrant(
      StreamObserver<R> caller,
      Supplier<CompletableFuture<O>> call,
      Function<O, R> encode,
      Consumer<O> releaseGrant) {
    run(
        caller,
        call,
        (server, outcome, closed) -> {
          if (server.isCancelled()) {
            releaseGrant.accept(outcome);
            return;
          }
          R response;
          try {
            response = encode.apply(outcome);
          } catch (RuntimeException e) {
            releaseGrant.accept(outcome);
            throw e;
          }
          var _ = AnswerBudget.OF_PROCESS.count(size(response), closed);
          try {
            write(server, response);
          } catch (RejectedExecutionException e) {
            releaseGrant.accept(outcome);
            throw e;
          }
        });
  }

  /** Sends an outcome, or throws. */
  private interface Sender<O, R> {
    void send(ServerCallStreamObserver<R> caller, O outcome, CompletableFuture<Void> closed);
  }

  private static <O, R> void run(
      StreamObserver<R> caller, Supplier<CompletableFuture<O>> call, Sender<O, R> sender) {
    try {
      var server = (ServerCallStreamObserver<R>) caller;
      // an error is logged with the trace of its call
      var context = Context.current();
      var future = call.get();
      var closed = new CompletableFuture<Void>();
      server.setOnCloseHandler(() -> closed.complete(null));
      server.setOnCancelHandler(
          () -> {
            future.cancel(false);
            closed.complete(null);
          });
      var _ =
          future.whenComplete(
              (outcome, failure) -> {
                if (failure == null) {
                  context.run(() -> orFail(caller, () -> sender.send(server, outcome, closed)));
                } else if (!server.isCancelled()) {
                  context.run(() -> caller.onError(GrpcErrors.of(failure)));
                }
              });
    } catch (RuntimeException e) {
      caller.onError(GrpcErrors.of(e));
    }
  }

  private static void orFail(StreamObserver<?> caller, Runnable send) {
    try {
      send.run();
    } catch (RejectedExecutionException _) {
      // the transport has ended, so no answer reaches the caller
    } catch (RuntimeException e) {
      caller.onError(GrpcErrors.of(e));
    }
  }

  private static <R> void write(StreamObserver<R> caller, R response) {
    caller.onNext(response);
    caller.onCompleted();
  }

  private static int size(Object response) {
    return response instanceof MessageLite message ? message.getSerializedSize() : 0;
  }

  /** An outcome that is to be sent; encoded only when the budget admits it. */
  private record Response<O, R>(
      ServerCallStreamObserver<R> caller,
      O outcome,
      Function<O, R> encode,
      AnswerBudget budget,
      CompletableFuture<Void> closed) {

    void send() {
      if (!caller.isCancelled()) {
        var response = encode.apply(outcome);
        Runnable later = Context.current().wrap(() -> orFail(caller, this::sendInTurn));
        if (budget.admit(size(response), closed, later)) {
          write(caller, response);
        }
      }
    }

    private void sendInTurn() {
      if (!caller.isCancelled()) {
        var response = encode.apply(outcome);
        var _ = budget.count(size(response), closed);
        write(caller, response);
      }
    }
  }

  /** The requested wait, shortened so that the response arrives before the caller's deadline. */
  public static Duration withinDeadline(Duration wait) {
    var deadline = Context.current().getDeadline();
    if (deadline == null || wait.isZero()) {
      return wait;
    }
    var left = Duration.ofNanos(deadline.timeRemaining(TimeUnit.NANOSECONDS)).minus(TRAVEL);
    return left.isNegative() ? Duration.ZERO : left.compareTo(wait) < 0 ? left : wait;
  }
}
