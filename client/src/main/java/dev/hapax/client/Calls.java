package dev.hapax.client;

import com.google.protobuf.Message;
import dev.hapax.client.Observer.CallKind;
import dev.hapax.client.internal.Backoff;
import dev.hapax.client.internal.Methods;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.internal.UnknownOutcome;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Deadline;
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
  private final Router router;
  private final Duration tryTimeout;
  private final AtomicBoolean isAway;

  /**
   * @param tryTimeout of one try, besides the wait of its request
   */
  Calls(Channel channel, Timing timing, Observer observer, Duration tryTimeout, Router router) {
    this(channel, timing, observer, tryTimeout, router, new AtomicBoolean());
  }

  private Calls(
      Channel channel,
      Timing timing,
      Observer observer,
      Duration tryTimeout,
      Router router,
      AtomicBoolean isAway) {
    this.channel = channel;
    this.timing = timing;
    this.observer = observer;
    this.tryTimeout = tryTimeout;
    this.router = router;
    this.isAway = isAway;
  }

  /** Returns the same calls by another route. */
  Calls by(Router other) {
    return new Calls(channel, timing, observer, tryTimeout, other, isAway);
  }

  /** Ends streams, for which the end of the channel would wait. */
  void close() {
    router.close();
  }

  boolean usesStreams() {
    return !router.equals(Router.UNARY);
  }

  /** Chooses how a request is sent. */
  interface Router {

    /** Sends each request as a unary call. */
    Router UNARY = request -> null;

    /** Returns the stream for a request; null = a unary call. */
    @Nullable Stream to(Message request);

    /** Ends what is open after its last answer. */
    default void close() {}
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

  /** Whether the last poll, or stream of a worker, got no answer. */
  boolean isAway() {
    return isAway.get();
  }

  /** A poll has an answer, or a message has arrived on the stream of a worker. */
  void arrived() {
    if (isAway.compareAndSet(true, false)) {
      log.info("Hapax at {} answers again", channel.authority());
    }
  }

  /** A poll, or the stream of a worker, got no answer, and not for the first time. */
  void isLost(Status status) {
    if (isAway.compareAndSet(false, true)) {
      log.warn(
          "Hapax at {} does not answer, will retry until it does; check that it runs, and"
              + " HAPAX_SERVER or the server of the client: {}",
          channel.authority(),
          status);
    }
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
  HapaxException exception(StatusRuntimeException error) {
    if (error instanceof UnknownOutcome) {
      return new HapaxException.UnknownAnswer(error);
    }
    return switch (error.getStatus().getCode()) {
      case UNAUTHENTICATED -> new HapaxException.Unauthenticated(error);
      case PERMISSION_DENIED -> new HapaxException.PermissionDenied(error);
      default ->
          Backoff.pause(error, 0).isPresent()
              ? new HapaxException.Unavailable(channel.authority(), error)
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
            if (budget.isPoll()) {
              arrived();
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
          throw Sent.status(failed.getCause());
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
      if (retry > 0 && budget.isPoll()) {
        isLost(error.getStatus());
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

  private <Q extends Message, R extends Message> CompletableFuture<Answer<R>> start(
      MethodDescriptor<Q, R> method, Q request, Duration timeout) {
    Sent<Q, R> sent = new Sent<>(channel, timing, method, request, timeout);
    Stream stream = router.to(request);
    if (stream == null || !stream.send(sent)) {
      sent.sendUnary();
    }
    return sent.answer();
  }
}
