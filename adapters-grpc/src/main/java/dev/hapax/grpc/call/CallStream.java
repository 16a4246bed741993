package dev.hapax.grpc.call;

import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The calls that one stream carries, each with the answer of its unary rpc. Stops reading while too
 * many calls are active, and ends if its client does not read the answers.
 *
 * @param <R> the messages to the client
 * @param <A> the answers in them
 * @param <B> the builder of a message
 */
public final class CallStream<R, A extends MessageLite, B> {
  /** The most calls in one message. */
  public static final int MAX_CALLS = 1_000;

  /** The most active calls of one stream, as many as those of one connection. */
  private static final int MAX_ACTIVE = 20_000;

  /** Shorter than the connection's maximum age, so that clients move to another server in time. */
  public static final Duration MAX_AGE = Duration.ofMinutes(10);

  private final ServerCallStreamObserver<R> client;
  private final StreamMessages<R, A, B> messages;
  private final ReadDeadline deadline;
  private final StreamWriter<R, B> writer;
  private final CallAccess access = CallAccess.current();
  private final long startNanos = System.nanoTime();
  private Runnable onReady = () -> {};
  private Runnable onClosed = () -> {};

  // guarded by this
  private final Map<Integer, CompletableFuture<?>> active = new HashMap<>();
  private int unanswered;
  // reading is paused; request(1) resumes it
  private boolean starved;
  private boolean finishing;
  private boolean ended;
  private @Nullable StatusRuntimeException status;

  /** Makes a stream that does not read yet. */
  public CallStream(ServerCallStreamObserver<R> client, StreamMessages<R, A, B> messages) {
    this(client, messages, ReadDeadline.LONGEST);
  }

  /** Makes a stream that ends if its client does not read for so long. */
  CallStream(
      ServerCallStreamObserver<R> client, StreamMessages<R, A, B> messages, Duration longestRead) {
    this.client = client;
    this.messages = messages;
    client.disableAutoRequest();
    client.setOnReadyHandler(this::ready);
    client.setOnCancelHandler(this::closed);
    client.setOnCloseHandler(this::closed);
    this.deadline = new ReadDeadline(client, longestRead, this::stalled);
    this.writer =
        new StreamWriter<>(
            client,
            messages.begin(),
            messages.build(),
            this::written,
            deadline,
            AnswerBudget.OF_PROCESS);
  }

  /**
   * Starts to read.
   *
   * @param onReady runs when the client reads again
   * @param onClosed runs when the stream is closed or cancelled
   */
  public void start(Runnable onReady, Runnable onClosed) {
    this.onReady = onReady;
    this.onClosed = onClosed;
    client.request(1);
  }

  /**
   * Receives a message of the client.
   *
   * @param calls how many calls it has
   * @param cancelled the ids of the calls that it cancels
   * @param begin begins its calls
   */
  public void receive(int calls, List<Integer> cancelled, Runnable begin) {
    if (calls > MAX_CALLS) {
      fail(
          new InvalidFieldException(
              "calls",
              String.format(
                  Locale.ROOT, "has %d calls; at most %d are allowed", calls, MAX_CALLS)));
      return;
    }
    begin.run();
    cancelled.forEach(this::cancel);
    if (wantsMore()) {
      client.request(1);
    }
  }

  private synchronized boolean wantsMore() {
    var unwritten = writer.unwritten();
    starved = unanswered + unwritten >= MAX_ACTIVE || (unwritten >= MAX_CALLS && !client.isReady());
    return !starved && !finishing && !ended;
  }

  private void written() {
    if (isStarved() && wantsMore()) {
      client.request(1);
    }
  }

  private synchronized boolean isStarved() {
    return starved;
  }

  /** Whether the client must open another stream, perhaps on another server. */
  public boolean isOld() {
    return System.nanoTime() - startNanos > MAX_AGE.toNanos();
  }

  /** Checks and begins a call, and answers it with the encoded outcome or an error. */
  public <Q extends Message, O> void answer(
      int callId,
      Q request,
      Function<? super Q, CompletableFuture<O>> call,
      Function<? super O, A> encode) {
    answerWithGrant(callId, request, call, encode, _ -> {});
  }

  /**
   * Checks and begins a call, and answers it with a grant that the client holds from then on.
   *
   * @param call a future that releases the grant itself if it is cancelled before it completes
   * @param releaseGrant receives a grant that does not reach the client
   */
  public <Q extends Message, O> void answerWithGrant(
      int callId,
      Q request,
      Function<? super Q, CompletableFuture<O>> call,
      Function<? super O, A> encode,
      Consumer<? super O> releaseGrant) {
    if (!reserve(callId)) {
      return;
    }
    var place = OpenPlace.NONE;
    CompletableFuture<O> future;
    try {
      place = access.require(request);
      RequestRules.check(request);
      future = call.apply(request);
    } catch (RuntimeException e) {
      future = CompletableFuture.failedFuture(e);
    }
    if (!register(callId, future)) {
      future.cancel(false);
    }
    var taken = place;
    var _ =
        future.whenComplete(
            (outcome, failure) -> {
              taken.free();
              answered(
                  callId,
                  failure == null
                      ? new StreamAnswer<>(messages, callId, outcome, encode, releaseGrant)
                      : new StreamAnswer.Rejected<>(messages, callId, failure));
            });
  }

  /** Answers a call with the status of a failure. */
  public void reject(int callId, Throwable failure) {
    if (reserve(callId)) {
      answered(callId, new StreamAnswer.Rejected<>(messages, callId, failure));
    }
  }

  /** Reserves the id of a call; false = the call must not begin. */
  private boolean reserve(int callId) {
    synchronized (this) {
      if (ended) {
        return false;
      }
      if (active.putIfAbsent(callId, new CompletableFuture<>()) == null) {
        unanswered++;
        return true;
      }
    }
    // an error of this call alone would look like the answer of the active one
    fail(
        new InvalidFieldException(
            "call_id",
            String.format(Locale.ROOT, "must not be that of an active call (was %d)", callId)));
    return false;
  }

  private synchronized boolean register(int callId, CompletableFuture<?> call) {
    return active.computeIfPresent(callId, (_, _) -> call) != null;
  }

  private void answered(int callId, StreamPart<B> answer) {
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
    return active.remove(callId) != null;
  }

  private void cancel(int callId) {
    CompletableFuture<?> call;
    synchronized (this) {
      call = active.remove(callId);
    }
    if (call != null) {
      call.cancel(false);
    }
  }

  /** Sends a part that does not answer a call. */
  public void send(StreamPart<B> part) {
    writer.send(part);
  }

  /** Whether the client reads. */
  public boolean isReady() {
    return client.isReady();
  }

  private void ready() {
    writer.wake();
    onReady.run();
  }

  /** Stops reading and ends the stream when every call is answered. */
  public void finish() {
    synchronized (this) {
      finishing = true;
    }
    endIfAnswered();
  }

  /** Stops reading and ends the stream with a failure when every call is answered. */
  public void finish(Throwable failure) {
    synchronized (this) {
      status = status == null ? GrpcErrors.of(failure) : status;
    }
    finish();
  }

  private void endIfAnswered() {
    StatusRuntimeException with;
    synchronized (this) {
      if (!finishing || ended || unanswered > 0) {
        return;
      }
      with = status;
    }
    writer.end(with);
  }

  /** Ends the stream at once with a failure and cancels its calls. */
  public void fail(Throwable failure) {
    writer.abort(GrpcErrors.of(failure));
    cancelAll();
  }

  private void stalled() {
    fail(deadline.missed());
  }

  private void closed() {
    writer.closed();
    cancelAll();
  }

  private void cancelAll() {
    List<CompletableFuture<?>> calls;
    synchronized (this) {
      ended = true;
      calls = List.copyOf(active.values());
      active.clear();
    }
    calls.forEach(call -> call.cancel(false));
    onClosed.run();
  }
}
