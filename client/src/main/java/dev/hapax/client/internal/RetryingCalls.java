package dev.hapax.client.internal;

import dev.hapax.client.Observer;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Sends a request once or with retries, on a stream or as a unary call. */
public final class RetryingCalls {

  private final Channel channel;
  private final Timing timing;
  private final Duration tryTimeout;
  private final CallRoute route;
  private final Observer observer;

  /**
   * @param route for the requests it carries
   */
  public RetryingCalls(
      Channel channel, Timing timing, Duration tryTimeout, CallRoute route, Observer observer) {
    this.channel = channel;
    this.timing = timing;
    this.tryTimeout = tryTimeout;
    this.route = route;
    this.observer = observer;
  }

  /**
   * A response with the time of its request and the round trip. A lease counts from {@code sentAt}.
   */
  public record Answer<R>(R response, long sentAt, long roundTrip) {}

  /** This limit, or the remaining deadline of the caller if that is shorter. */
  public static Duration withinDeadline(Duration timeLimit) {
    Deadline deadline = Context.current().getDeadline();
    long left = deadline == null ? Long.MAX_VALUE : deadline.timeRemaining(TimeUnit.NANOSECONDS);
    return left < timeLimit.toNanos() ? Duration.ofNanos(left) : timeLimit;
  }

  public Channel channel() {
    return channel;
  }

  public Duration tryTimeout() {
    return tryTimeout;
  }

  /**
   * Retries the request until there is a response, a permanent error, or no time left. The last
   * attempt runs to its own timeout and may end after {@code timeLimit}.
   *
   * @param wait how long the server may hold the request on purpose
   * @return fails with a {@link StatusRuntimeException}
   */
  public <Q, R> CompletableFuture<Answer<R>> sendUntilAnswered(
      MethodDescriptor<Q, R> method, Q request, Duration wait, Duration timeLimit) {
    return new RetryLoop<>(method, request, tryTimeout.plus(wait), timeLimit, Backoff::pause)
        .start();
  }

  /**
   * As {@link #sendUntilAnswered}, for the end of work: also retries while Hapax does not accept
   * the key, which may be about to be replaced.
   */
  public <Q, R> CompletableFuture<Answer<R>> sendUntilRecorded(
      MethodDescriptor<Q, R> method, Q request, Duration timeLimit) {
    return new RetryLoop<>(method, request, tryTimeout, timeLimit, Backoff::pauseOfHolder).start();
  }

  /**
   * Sends the request once. Fails with a {@link StatusRuntimeException}. Cancelling the future
   * cancels the call, also with {@link #sendUntilAnswered}.
   */
  public <Q, R> CompletableFuture<Answer<R>> sendOnce(
      MethodDescriptor<Q, R> method, Q request, Duration timeout) {
    return route.carries(request)
        ? route.send(this, method, request, timeout)
        : sendUnary(method, request, timeout);
  }

  /**
   * A future for user code: its callbacks do not delay other responses of the same message.
   * Cancelling it cancels {@code answer}.
   */
  public <T extends @Nullable Object> CompletableFuture<T> detached(CompletableFuture<T> answer) {
    if (!route.gathersAnswers()) {
      return answer;
    }
    CompletableFuture<T> detached = new CompletableFuture<>();
    var unused =
        answer.whenComplete(
            (value, error) -> timing.callbacks().execute(() -> complete(detached, value, error)));
    var unusedToo =
        detached.whenComplete(
            (value, error) -> {
              if (detached.isCancelled()) {
                answer.cancel(false);
              }
            });
    return detached;
  }

  private static <T extends @Nullable Object> void complete(
      CompletableFuture<T> future, T value, @Nullable Throwable error) {
    if (error == null) {
      future.complete(value);
    } else {
      future.completeExceptionally(error);
    }
  }

  /** As {@link #sendOnce}, always as a unary call. */
  <Q, R> CompletableFuture<Answer<R>> sendUnary(
      MethodDescriptor<Q, R> method, Q request, Duration timeout) {
    CompletableFuture<Answer<R>> answer = new CompletableFuture<>();
    CallOptions options =
        CallOptions.DEFAULT.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
    long sentAt = timing.nanos();
    try {
      ClientCall<Q, R> call = SentTrace.sendCurrent(channel).newCall(method, options);
      var unused =
          answer.whenComplete(
              (any, error) -> {
                if (answer.isCancelled()) {
                  call.cancel("the caller cancelled the call", null);
                }
              });
      ClientCalls.asyncUnaryCall(call, request, new Receiver<R>(method, answer, sentAt));
    } catch (RuntimeException refused) {
      answer.completeExceptionally(status(refused));
    }
    return answer;
  }

  private static StatusRuntimeException status(Throwable error) {
    return error instanceof StatusRuntimeException known
        ? known
        : Status.fromThrowable(error).asRuntimeException();
  }

  private final class Receiver<R> implements StreamObserver<R> {
    private final MethodDescriptor<?, R> method;
    private final CompletableFuture<Answer<R>> answer;
    private final long sentAt;
    private @Nullable R response;

    Receiver(MethodDescriptor<?, R> method, CompletableFuture<Answer<R>> answer, long sentAt) {
      this.method = method;
      this.answer = answer;
      this.sentAt = sentAt;
    }

    @Override
    public void onNext(R value) {
      response = value;
    }

    @Override
    public void onError(Throwable error) {
      answer.completeExceptionally(status(error));
    }

    @Override
    public void onCompleted() {
      R value = response;
      if (value == null) {
        onError(Status.INTERNAL.withDescription("no response").asRuntimeException());
        return;
      }
      UnknownOutcome.of(method, value)
          .ifPresentOrElse(
              this::onError,
              () -> answer.complete(new Answer<>(value, sentAt, timing.nanos() - sentAt)));
    }
  }

  /** Decides about retries as {@link Backoff} does. */
  private interface Pauses {
    Optional<Duration> before(StatusRuntimeException error, int retry);
  }

  private final class RetryLoop<Q, R> {
    private final MethodDescriptor<Q, R> method;
    private final Q request;
    private final Duration timeout;
    private final long giveUpAt;
    private final Pauses pauses;
    // the caller's values (such as credentials), but neither its cancellation nor its deadline
    private final Context context = Context.current().fork();
    private final Runnable attempt = DetectedTraces.INSTANCE.wrap(this::send);
    private final CompletableFuture<Answer<R>> done = new CompletableFuture<>();
    private volatile @Nullable CompletableFuture<Answer<R>> inFlight;
    private final AtomicBoolean reported = new AtomicBoolean();
    private final long startedAt = timing.nanos();
    private int retries;

    RetryLoop(
        MethodDescriptor<Q, R> method,
        Q request,
        Duration timeout,
        Duration timeLimit,
        Pauses pauses) {
      this.method = method;
      this.request = request;
      this.timeout = timeout;
      this.giveUpAt = timing.nanos() + timeLimit.toNanos();
      this.pauses = pauses;
    }

    CompletableFuture<Answer<R>> start() {
      var unused =
          done.whenComplete(
              (answer, error) -> {
                cancelInFlight();
                // of a call that was cancelled
                report(error);
              });
      context.run(attempt);
      return done;
    }

    /** Reports the end of the call to the observer, before its caller sees it. */
    private void report(@Nullable Throwable error) {
      if (reported.compareAndSet(false, true)) {
        observer.called(
            String.valueOf(method.getBareMethodName()),
            UnaryCalls.kindOf(error),
            Duration.ofNanos(timing.nanos() - startedAt));
      }
    }

    private void send() {
      if (done.isDone()) {
        return;
      }
      CompletableFuture<Answer<R>> sent = sendOnce(method, request, timeout);
      inFlight = sent;
      cancelInFlight();
      var unused =
          sent.whenComplete(
              (answer, error) -> {
                if (error == null) {
                  report(null);
                  done.complete(answer);
                } else {
                  failed(status(error));
                }
              });
    }

    private void cancelInFlight() {
      CompletableFuture<Answer<R>> sent = inFlight;
      if (done.isCancelled() && sent != null) {
        sent.cancel(false);
      }
    }

    private void failed(StatusRuntimeException error) {
      if (done.isDone()) {
        return;
      }
      Optional<Duration> pause = pauses.before(error, retries++);
      if (pause.isEmpty() || timing.nanos() + pause.get().toNanos() - giveUpAt > 0) {
        report(error);
        done.completeExceptionally(error);
      } else {
        timing.after(pause.get(), () -> context.run(attempt));
      }
    }
  }
}
