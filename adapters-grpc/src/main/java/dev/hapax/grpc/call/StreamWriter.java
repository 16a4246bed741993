package dev.hapax.grpc.call;

import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes to one stream: whatever is ready at the same time as one message. While the client does
 * not read, nothing is encoded or written.
 *
 * @param <R> the messages
 * @param <B> what a message is gathered in
 */
final class StreamWriter<R, B> {
  private static final int MAX_PARTS = 1_000;

  /** A message is written once it has so many bytes; the last part may be longer. */
  private static final int MAX_BYTES = 256 << 10;

  /**
   * Threads of their own: meanwhile the thread that completes the calls of one commit makes more of
   * them ready, for the same message.
   */
  private static final Executor THREADS =
      Executors.newFixedThreadPool(
          Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 4),
          Thread.ofPlatform().daemon().name("stream-writer-", 1).factory());

  private final ServerCallStreamObserver<R> client;
  private final Supplier<B> begin;
  private final Function<B, R> build;
  private final Runnable onWritten;

  // guarded by this
  private final Deque<StreamPart<B>> ready = new ArrayDeque<>();
  private boolean writing;
  private boolean ending;
  private boolean over;
  private boolean closed;
  private @Nullable StatusRuntimeException status;

  /**
   * Writes an empty message, by which the client learns that streams get through.
   *
   * @param onWritten runs after each message
   */
  StreamWriter(
      ServerCallStreamObserver<R> client,
      Supplier<B> begin,
      Function<B, R> build,
      Runnable onWritten) {
    this.client = client;
    this.begin = begin;
    this.build = build;
    this.onWritten = onWritten;
    client.onNext(build.apply(begin.get()));
  }

  /** Writes it as soon as the client reads; drops it if the stream has ended. */
  void send(StreamPart<B> part) {
    synchronized (this) {
      if (!over) {
        ready.add(part);
        wake();
        return;
      }
    }
    part.drop();
  }

  /** How many parts are not written. */
  synchronized int unwritten() {
    return ready.size();
  }

  /** Goes on writing, if there is something: the client reads again. */
  synchronized void wake() {
    if (!writing && !over && !ready.isEmpty()) {
      writing = true;
      THREADS.execute(this::write);
    }
  }

  private void write() {
    var parts = next();
    if (parts.isEmpty()) {
      close();
      return;
    }
    write(parts);
    onWritten.run();
    // other streams come in between
    THREADS.execute(this::write);
  }

  private synchronized List<StreamPart<B>> next() {
    var parts = new ArrayList<StreamPart<B>>();
    if (!over && client.isReady()) {
      while (!ready.isEmpty() && parts.size() < MAX_PARTS) {
        parts.add(ready.remove());
      }
    }
    writing = !parts.isEmpty();
    return parts;
  }

  private void write(List<StreamPart<B>> parts) {
    var message = begin.get();
    var added = 0;
    for (var bytes = 0; added < parts.size() && bytes < MAX_BYTES; added++) {
      bytes += parts.get(added).addTo(message);
    }
    putBack(parts.subList(added, parts.size()));
    try {
      client.onNext(build.apply(message));
    } catch (RuntimeException _) {
      // the client has gone
      parts.subList(0, added).forEach(StreamPart::drop);
    }
  }

  private void putBack(List<StreamPart<B>> parts) {
    synchronized (this) {
      if (!over) {
        parts.reversed().forEach(ready::addFirst);
        return;
      }
    }
    parts.forEach(StreamPart::drop);
  }

  /**
   * Ends the stream once everything is written.
   *
   * @param with nothing = OK
   */
  void end(@Nullable StatusRuntimeException with) {
    synchronized (this) {
      ending = true;
      status = status == null ? with : status;
    }
    close();
  }

  /** Ends the stream at once, and drops what is not written. */
  void abort(StatusRuntimeException with) {
    drop();
    end(with);
  }

  /** The client has gone: drops what is not written. */
  void gone() {
    synchronized (this) {
      closed = true;
    }
    drop();
  }

  private void drop() {
    List<StreamPart<B>> parts;
    synchronized (this) {
      over = true;
      parts = List.copyOf(ready);
      ready.clear();
    }
    parts.forEach(StreamPart::drop);
  }

  /** Closes the stream if it is to end and nothing is left to be written. */
  private void close() {
    StatusRuntimeException with;
    synchronized (this) {
      if (!ending || writing || closed || !ready.isEmpty()) {
        return;
      }
      over = true;
      closed = true;
      with = status;
    }
    if (with == null) {
      client.onCompleted();
    } else {
      client.onError(with);
    }
  }
}
