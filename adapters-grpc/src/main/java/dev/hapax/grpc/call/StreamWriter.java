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
 * Writes to one stream and combines the parts that are ready at the same time into one message.
 * While the client does not read, nothing is encoded or written.
 *
 * @param <R> the messages
 * @param <B> the builder of a message
 */
final class StreamWriter<R, B> {
  private static final int MAX_PARTS = 1_000;

  /** A message that has so many bytes is written; its last part may exceed them. */
  private static final int MAX_BYTES = 256 << 10;

  /**
   * Separate threads, so that the thread that completes the calls of one commit can meanwhile add
   * more parts to the same message.
   */
  private static final Executor THREADS =
      Executors.newFixedThreadPool(
          Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 4),
          Thread.ofPlatform().daemon().name("stream-writer-", 1).factory());

  private final ServerCallStreamObserver<R> client;
  private final Supplier<B> begin;
  private final Function<B, R> build;
  private final Runnable onWritten;
  private final ReadDeadline deadline;
  private final AnswerBudget budget;

  // guarded by this
  private final Deque<StreamPart<B>> ready = new ArrayDeque<>();
  private boolean writing;
  private boolean ending;
  private boolean ended;
  private boolean isClosed;
  private @Nullable StatusRuntimeException status;

  /**
   * Creates a writer, and writes an empty message: it shows the client that no proxy on the way
   * buffers streams.
   *
   * @param onWritten runs after each message
   * @param deadline runs while the client has a message to read
   */
  StreamWriter(
      ServerCallStreamObserver<R> client,
      Supplier<B> begin,
      Function<B, R> build,
      Runnable onWritten,
      ReadDeadline deadline,
      AnswerBudget budget) {
    this.client = client;
    this.begin = begin;
    this.build = build;
    this.onWritten = onWritten;
    this.deadline = deadline;
    this.budget = budget;
    client.onNext(build.apply(begin.get()));
  }

  /** Writes a part as soon as the client reads; drops it if the stream has ended. */
  void send(StreamPart<B> part) {
    synchronized (this) {
      if (!ended) {
        ready.add(part);
        resume();
        return;
      }
    }
    part.drop();
  }

  /** The number of parts that are not written. */
  synchronized int unwritten() {
    return ready.size();
  }

  /** Resumes writing when the client reads again. */
  void wake() {
    deadline.cancel();
    resume();
  }

  private synchronized void resume() {
    if (!writing && !ended && !ready.isEmpty()) {
      writing = true;
      THREADS.execute(this::write);
    }
  }

  private void write() {
    if (budget.proceed(this::writeNext)) {
      writeNext();
    }
  }

  private void writeNext() {
    var parts = next();
    if (parts.isEmpty()) {
      if (unwritten() > 0) {
        var _ = deadline.await();
      }
      close();
      return;
    }
    write(parts);
    onWritten.run();
    // requeued, so that other streams take turns
    THREADS.execute(this::write);
  }

  private synchronized List<StreamPart<B>> next() {
    var parts = new ArrayList<StreamPart<B>>();
    if (!ended && client.isReady()) {
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
    var bytes = 0;
    for (; added < parts.size() && bytes < MAX_BYTES; added++) {
      bytes += parts.get(added).addTo(message);
    }
    requeue(parts.subList(added, parts.size()));
    try {
      client.onNext(build.apply(message));
      if (!client.isReady()) {
        var _ = budget.count(bytes, deadline.await());
      }
    } catch (RuntimeException _) {
      // the client has closed the stream
      parts.subList(0, added).forEach(StreamPart::drop);
    }
  }

  private void requeue(List<StreamPart<B>> parts) {
    synchronized (this) {
      if (!ended) {
        parts.reversed().forEach(ready::addFirst);
        return;
      }
    }
    parts.forEach(StreamPart::drop);
  }

  /**
   * Ends the stream once every part is written.
   *
   * @param with null = OK
   */
  void end(@Nullable StatusRuntimeException with) {
    synchronized (this) {
      ending = true;
      status = status == null ? with : status;
    }
    close();
  }

  /** Ends the stream at once and drops the parts that are not written. */
  void abort(StatusRuntimeException with) {
    drop();
    end(with);
  }

  /** Drops the parts that are not written, after the client has closed the stream. */
  void closed() {
    synchronized (this) {
      isClosed = true;
    }
    drop();
  }

  private void drop() {
    deadline.cancel();
    List<StreamPart<B>> parts;
    synchronized (this) {
      ended = true;
      parts = List.copyOf(ready);
      ready.clear();
    }
    parts.forEach(StreamPart::drop);
  }

  /** Closes the stream if it is ending and every part is written. */
  private void close() {
    StatusRuntimeException with;
    synchronized (this) {
      if (!ending || writing || isClosed || !ready.isEmpty()) {
        return;
      }
      ended = true;
      isClosed = true;
      with = status;
    }
    if (with == null) {
      client.onCompleted();
    } else {
      client.onError(with);
    }
  }
}
