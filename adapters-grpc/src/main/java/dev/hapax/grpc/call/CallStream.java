package dev.hapax.grpc.call;

import com.google.protobuf.MessageLite;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls that one stream carries, each as its unary rpc would answer it. Reads no further while
 * too many of them are under way.
 *
 * @param <R> the messages to the client
 * @param <A> the answers in them
 * @param <B> what a message is gathered in
 */
public final class CallStream<R, A extends MessageLite, B> {
  public static final int MAX_CALLS = 1_000;

  /** As many calls as one connection may have. */
  private static final int MAX_UNDER_WAY = 20_000;

  /** Less than a connection may be old: a client that is to move to another server does in time. */
  public static final Duration MAX_AGE = Duration.ofMinutes(10);

  private final ServerCallStreamObserver<R> client;
  private final StreamMessages<R, A, B> messages;
  private final StreamWriter<R, B> writer;
  private final long begunNanos = System.nanoTime();
  private Runnable onReady = () -> {};
  private Runnable onGone = () -> {};

  // guarded by this
  private final Map<Integer, CompletableFuture<?>> underWay = new HashMap<>();
  private int unanswered;
  private boolean starved;
  private boolean finishing;
  private boolean over;
  private @Nullable StatusRuntimeException status;

  /** Reads nothing yet. */
  public CallStream(ServerCallStreamObserver<R> client, StreamMessages<R, A, B> messages) {
    this.client = client;
    this.messages = messages;
    client.disableAutoRequest();
    client.setOnReadyHandler(this::clientReads);
    client.setOnCancelHandler(this::gone);
    client.setOnCloseHandler(this::gone);
    this.writer = new StreamWriter<>(client, messages.begin(), messages.build(), this::written);
  }

  /** Reads; {@code onReady} runs when the client reads again, {@code onGone} when it has gone. */
  public void start(Runnable onReady, Runnable onGone) {
    this.onReady = onReady;
    this.onGone = onGone;
    client.request(1);
  }

  /** Takes a message of the client: {@code begin} begins its calls. */
  public void receive(int calls, List<Integer> cancelled, Runnable begin) {
    if (calls > MAX_CALLS) {
      fail(
          new InvalidFieldException(
              "calls", "has %d calls; at most %d are allowed".formatted(calls, MAX_CALLS)));
      return;
    }
    begin.run();
    cancelled.forEach(this::cancel);
    if (isToBeRead()) {
      client.request(1);
    }
  }

  private synchronized boolean isToBeRead() {
    starved = unanswered + writer.unwritten() >= MAX_UNDER_WAY;
    return !starved && !finishing && !over;
  }

  private void written() {
    if (isStarved() && isToBeRead()) {
      client.request(1);
    }
  }

  private synchronized boolean isStarved() {
    return starved;
  }

  /** Whether the client is to open another one, perhaps on another server. */
  public boolean isOld() {
    return System.nanoTime() - begunNanos > MAX_AGE.toNanos();
  }

  /** Begins a call; its answer is what the future comes to. */
  public <O> void answer(
      int callId, Supplier<CompletableFuture<O>> call, Function<? super O, A> encode) {
    hand(callId, call, encode, _ -> {});
  }

  /**
   * The same, with something the client holds from then on.
   *
   * @param call a future that gives back what it comes to when it is cancelled before
   * @param giveBack gets what the client does not get
   */
  public <O> void hand(
      int callId,
      Supplier<CompletableFuture<O>> call,
      Function<? super O, A> encode,
      Consumer<? super O> giveBack) {
    if (!reserve(callId)) {
      return;
    }
    CompletableFuture<O> future;
    try {
      future = call.get();
    } catch (RuntimeException e) {
      future = CompletableFuture.failedFuture(e);
    }
    if (!isAwaited(callId, future)) {
      future.cancel(false);
    }
    var _ =
        future.whenComplete(
            (outcome, failure) ->
                ended(
                    callId,
                    failure == null
                        ? new StreamAnswer<>(messages, callId, outcome, encode, giveBack)
                        : new StreamAnswer.Refused<>(messages, callId, failure)));
  }

  /** Answers a call with the status of a failure. */
  public void refuse(int callId, Throwable failure) {
    if (reserve(callId)) {
      ended(callId, new StreamAnswer.Refused<>(messages, callId, failure));
    }
  }

  /** Whether to begin the call. */
  private boolean reserve(int callId) {
    synchronized (this) {
      if (over) {
        return false;
      }
      if (underWay.putIfAbsent(callId, new CompletableFuture<>()) == null) {
        unanswered++;
        return true;
      }
    }
    // no answer of the call: the client would take it for that of the other one
    fail(new InvalidFieldException("call_id", "%d is that of a call under way".formatted(callId)));
    return false;
  }

  private synchronized boolean isAwaited(int callId, CompletableFuture<?> call) {
    return underWay.computeIfPresent(callId, (_, _) -> call) != null;
  }

  private void ended(int callId, StreamPart<B> answer) {
    if (removed(callId)) {
      writer.send(answer);
    } else {
      answer.drop();
    }
    synchronized (this) {
      unanswered--;
    }
    endIfAnswered();
  }

  private synchronized boolean removed(int callId) {
    return underWay.remove(callId) != null;
  }

  private void cancel(int callId) {
    CompletableFuture<?> call;
    synchronized (this) {
      call = underWay.remove(callId);
    }
    if (call != null) {
      call.cancel(false);
    }
  }

  /** Sends something that answers no call. */
  public void send(StreamPart<B> part) {
    writer.send(part);
  }

  /** Whether the client reads what it is sent. */
  public boolean isReady() {
    return client.isReady();
  }

  private void clientReads() {
    writer.wake();
    onReady.run();
  }

  /** Reads no more; ends when every call is answered. */
  public void finish() {
    synchronized (this) {
      finishing = true;
    }
    endIfAnswered();
  }

  /** The same, and then ends with the status of a failure. */
  public void finish(Throwable failure) {
    synchronized (this) {
      status = status == null ? Errors.of(failure) : status;
    }
    finish();
  }

  private void endIfAnswered() {
    StatusRuntimeException with;
    synchronized (this) {
      if (!finishing || over || unanswered > 0) {
        return;
      }
      with = status;
    }
    writer.end(with);
  }

  /** Ends at once with the status of a failure, as if the client had gone. */
  public void fail(Throwable failure) {
    writer.abort(Errors.of(failure));
    cancelAll();
  }

  private void gone() {
    writer.gone();
    cancelAll();
  }

  private void cancelAll() {
    List<CompletableFuture<?>> calls;
    synchronized (this) {
      over = true;
      calls = List.copyOf(underWay.values());
      underWay.clear();
    }
    calls.forEach(call -> call.cancel(false));
    onGone.run();
  }
}
