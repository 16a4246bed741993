package dev.hapax.client;

import com.google.protobuf.Message;
import dev.hapax.client.Observer.CallKind;
import dev.hapax.client.internal.Backoff;
import dev.hapax.client.internal.Methods;
import dev.hapax.client.internal.SentTrace;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.internal.UnknownOutcome;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends requests, and repeats them on the thread of the caller. */
final class Calls {

  private static final Logger log = LoggerFactory.getLogger(Calls.class);

  private final Channel channel;
  private final Timing timing;
  private final Observer observer;
  private final Duration tryTimeout;
  private final AtomicBoolean isAway = new AtomicBoolean();

  /**
   * @param tryTimeout of one try, besides the wait of its request
   */
  Calls(Channel channel, Timing timing, Observer observer, Duration tryTimeout) {
    this.channel = channel;
    this.timing = timing;
    this.observer = observer;
    this.tryTimeout = tryTimeout;
  }

  /** A response; a lease counts from {@code sentAt}, in nanoseconds. */
  record Answer<R>(R message, long sentAt, long roundTrip) {}

  /**
   * How long a request is repeated.
   *
   * @param held how long the server may hold the request on purpose
   * @param giveUp how long to repeat it, besides; the last try has its own timeout
   * @param isHeld whether to repeat it after that
   * @param isStrict whether the last try ends with {@code giveUp}, too
   * @param recordsWork whether it ends work that is done: neither an interrupt nor the deadline of
   *     the caller ends it, and it waits for a new key while its key is not accepted
   */
  record Budget(
      Duration held,
      Duration giveUp,
      BooleanSupplier isHeld,
      boolean isStrict,
      boolean recordsWork) {
    private static final Duration FOR_EVER = Duration.ofDays(36_500);

    static Budget of(Duration giveUp) {
      return new Budget(Duration.ZERO, giveUp, () -> false, false, false);
    }

    static Budget strict(Duration giveUp) {
      return new Budget(Duration.ZERO, giveUp, () -> false, true, false);
    }

    static Budget poll(Duration held) {
      return new Budget(held, FOR_EVER, () -> false, false, false);
    }

    static Budget record(Duration giveUp, BooleanSupplier isHeld) {
      return new Budget(Duration.ZERO, giveUp, isHeld, false, true);
    }

    private boolean isPoll() {
      return giveUp.equals(FOR_EVER);
    }

    Budget holding(Duration held) {
      return new Budget(held, giveUp, isHeld, isStrict, recordsWork);
    }
  }

  Channel channel() {
    return channel;
  }

  Timing timing() {
    return timing;
  }

  Duration tryTimeout() {
    return tryTimeout;
  }

  /** Whether the last poll got no answer. */
  boolean isAway() {
    return isAway.get();
  }

  /**
   * Returns the response, or throws when the error would repeat or the time is over.
   *
   * @throws HapaxException.Unavailable also if the thread is interrupted
   */
  <Q extends Message, R extends Message> Answer<R> send(Q request, R type, Budget budget) {
    MethodDescriptor<Q, R> method = Methods.of(request, type);
    long startedAt = timing.nanos();
    Deadline deadline = Context.current().getDeadline();
    // the values of the caller, such as credentials, but neither its cancellation nor its deadline
    Context own = Context.current().fork();
    Context callers = own.attach();
    try {
      Answer<R> answer = new Attempts<>(method, request, budget, startedAt, deadline).answer();
      observer.called(name(method), CallKind.OK, since(startedAt));
      return answer;
    } catch (HapaxException failed) {
      observer.called(name(method), kind(failed), since(startedAt));
      throw failed;
    } finally {
      own.detach(callers);
    }
  }

  private static String name(MethodDescriptor<?, ?> method) {
    return String.valueOf(method.getBareMethodName());
  }

  private Duration since(long startedAt) {
    return Duration.ofNanos(timing.nanos() - startedAt);
  }

  private static CallKind kind(HapaxException failed) {
    if (failed.getCause() instanceof InterruptedException) {
      return CallKind.CANCELLED;
    }
    return switch (failed.kind()) {
      case UNAUTHENTICATED -> CallKind.UNAUTHENTICATED;
      case PERMISSION_DENIED -> CallKind.PERMISSION_DENIED;
      case UNAVAILABLE -> CallKind.UNAVAILABLE;
      case UNKNOWN_ANSWER -> CallKind.UNKNOWN_ANSWER;
      default -> CallKind.REFUSED;
    };
  }

  /** Returns the exception of a call that is not repeated. */
  static HapaxException exception(StatusRuntimeException error) {
    if (error instanceof UnknownOutcome) {
      return new HapaxException.UnknownAnswer(error);
    }
    return switch (error.getStatus().getCode()) {
      case UNAUTHENTICATED -> new HapaxException.Unauthenticated(error);
      case PERMISSION_DENIED -> new HapaxException.PermissionDenied(error);
      default ->
          Backoff.pause(error, 0).isPresent()
              ? new HapaxException.Unavailable(error)
              : new HapaxException.Refused(error);
    };
  }

  /** The tries of one call. */
  private final class Attempts<Q extends Message, R extends Message> {
    private final MethodDescriptor<Q, R> method;
    private final Q request;
    private final Budget budget;
    private final long giveUpAt;
    private final long endAt;
    private boolean isInterrupted;

    Attempts(
        MethodDescriptor<Q, R> method,
        Q request,
        Budget budget,
        long startedAt,
        @Nullable Deadline deadline) {
      this.method = method;
      this.request = request;
      this.budget = budget;
      long repeatUntil = startedAt + budget.held.plus(budget.giveUp).toNanos();
      endAt =
          budget.recordsWork || deadline == null
              ? startedAt + Budget.FOR_EVER.toNanos()
              : startedAt + deadline.timeRemaining(TimeUnit.NANOSECONDS);
      giveUpAt = repeatUntil - endAt < 0 ? repeatUntil : endAt;
    }

    Answer<R> answer() {
      try {
        for (int retry = 0; ; retry++) {
          try {
            Answer<R> answer = await(start(method, request, timeout()));
            if (budget.isPoll() && isAway.compareAndSet(true, false)) {
              log.info("Hapax at {} answers again", channel.authority());
            }
            return answer;
          } catch (StatusRuntimeException error) {
            pauseAfter(error, retry);
          }
        }
      } catch (InterruptedException interrupted) {
        isInterrupted = true;
        throw new HapaxException.Unavailable(interrupted);
      } finally {
        if (isInterrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    private Duration timeout() {
      long most = tryTimeout.plus(budget.held).toNanos();
      long left = (budget.isStrict ? giveUpAt : endAt) - timing.nanos();
      return Duration.ofNanos(Math.max(1, Math.min(most, left)));
    }

    private Answer<R> await(CompletableFuture<Answer<R>> sent) throws InterruptedException {
      while (true) {
        try {
          return sent.get();
        } catch (ExecutionException failed) {
          throw status(failed.getCause());
        } catch (InterruptedException interrupted) {
          if (!budget.recordsWork) {
            sent.cancel(false);
            throw interrupted;
          }
          isInterrupted = true;
        }
      }
    }

    private void pauseAfter(StatusRuntimeException error, int retry) throws InterruptedException {
      Optional<Duration> pause =
          budget.recordsWork ? Backoff.pauseOfHolder(error, retry) : Backoff.pause(error, retry);
      boolean isInTime =
          pause.isPresent() && timing.nanos() + pause.get().toNanos() - giveUpAt <= 0;
      if (pause.isEmpty() || !(isInTime || budget.isHeld.getAsBoolean())) {
        throw exception(error);
      }
      // no other sees the errors of a poll; the first one may be that of a connection that was
      // closed
      if (retry == 1 && budget.isPoll() && isAway.compareAndSet(false, true)) {
        log.warn(
            "Hapax at {} does not answer, will retry until it does; check that it runs, and"
                + " HAPAX_SERVER or the server of the client: {}",
            channel.authority(),
            error.getStatus());
      }
      long until = timing.nanos() + pause.get().toNanos();
      for (long left = until - timing.nanos(); left > 0; left = until - timing.nanos()) {
        try {
          timing.sleep(Duration.ofNanos(left));
        } catch (InterruptedException interrupted) {
          if (!budget.recordsWork) {
            throw interrupted;
          }
          isInterrupted = true;
        }
      }
    }
  }

  /**
   * Sends a request once, also if the caller is cancelled. The future fails with a {@link
   * StatusRuntimeException}; to cancel it cancels the call.
   */
  <Q extends Message, R extends Message> CompletableFuture<Answer<R>> start(
      Q request, R type, Duration timeout) {
    Context own = Context.current().fork();
    Context callers = own.attach();
    try {
      return start(Methods.of(request, type), request, timeout);
    } finally {
      own.detach(callers);
    }
  }

  private <Q, R> CompletableFuture<Answer<R>> start(
      MethodDescriptor<Q, R> method, Q request, Duration timeout) {
    CallOptions options =
        CallOptions.DEFAULT.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
    Sent<R> sent = new Sent<>(method, timing);
    try {
      ClientCall<Q, R> call = SentTrace.sendCurrent(channel).newCall(method, options);
      sent.answer.whenComplete(
          (any, error) -> {
            if (sent.answer.isCancelled()) {
              call.cancel("the caller cancelled the call", null);
            }
          });
      call.start(sent, new Metadata());
      call.request(2); // 2, to detect a second response
      call.sendMessage(request);
      call.halfClose();
    } catch (RuntimeException refused) {
      sent.answer.completeExceptionally(status(refused));
    }
    return sent.answer;
  }

  private static StatusRuntimeException status(@Nullable Throwable error) {
    return error instanceof StatusRuntimeException known
        ? known
        : Status.fromThrowable(error == null ? new IllegalStateException() : error)
            .asRuntimeException();
  }

  /** One request that waits for its response. */
  private static final class Sent<R> extends ClientCall.Listener<R> {
    private final MethodDescriptor<?, R> method;
    private final Timing timing;
    private final long sentAt;
    private final CompletableFuture<Answer<R>> answer = new CompletableFuture<>();
    private @Nullable R response;

    Sent(MethodDescriptor<?, R> method, Timing timing) {
      this.method = method;
      this.timing = timing;
      this.sentAt = timing.nanos();
    }

    @Override
    public void onMessage(R message) {
      response = message;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      R value = response;
      if (!status.isOk()) {
        answer.completeExceptionally(status.asRuntimeException(trailers));
      } else if (value == null) {
        answer.completeExceptionally(
            Status.INTERNAL.withDescription("no response").asRuntimeException());
      } else {
        UnknownOutcome.of(method, value)
            .ifPresentOrElse(
                answer::completeExceptionally,
                () -> answer.complete(new Answer<>(value, sentAt, timing.nanos() - sentAt)));
      }
    }
  }
}
