package dev.hapax.client;

import com.google.protobuf.Message;
import dev.hapax.client.Calls.Answer;
import dev.hapax.client.Polling.Poll;
import dev.hapax.client.internal.Backoff;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream of a worker, reconnected whenever it ends: it delivers tasks and carries calls. All
 * streams of a worker have one attempt id, so that tasks of a lost message are delivered again on
 * the next one. It polls instead where streams do not get through.
 */
final class WorkStream implements Polling.Fetch, Calls.Router {

  private static final Logger log = LoggerFactory.getLogger(WorkStream.class);
  private static final int MAX_CREDIT = 500;
  private static final Duration PING = Duration.ofSeconds(15);

  /** After this many unresponsive streams in a row the worker polls: a proxy may block streams. */
  private static final int MAX_UNRESPONSIVE = 3;

  private final Calls calls;
  private final Timing timing;
  private final WorkRequest.Open first;
  private @Nullable Tasks tasks;
  // without this, a stream would inherit the deadline of the thread that opens it
  private final Context context = Context.current().fork();
  private volatile @Nullable Opened current;
  private volatile boolean isPolling;

  // of the thread that polls
  private int retries;
  private int unresponsive;
  private boolean isRejected;
  private boolean hasBegun;

  // guards the rest; a monitor would pin virtual threads that wait
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Answer<WorkResponse>> arrived = new ArrayList<>();
  private String token = "";
  private int free;

  /** Tasks that have arrived and have no slot yet. */
  private int waiting;

  private boolean isFetching;
  private boolean isStopping;
  private boolean isOver;

  /** Opens nothing yet. */
  WorkStream(Calls calls, WorkRequest.Open first) {
    this.calls = calls;
    this.timing = calls.timing();
    this.first = first.toBuilder().setAttemptId(UUID.randomUUID().toString()).build();
  }

  /** Delivers to these tasks, which poll where streams do not get through. */
  WorkStream to(Tasks tasks) {
    this.tasks = tasks;
    return this;
  }

  private Tasks tasks() {
    return Objects.requireNonNull(tasks);
  }

  @Override
  public @Nullable Stream to(Message request) {
    Opened opened = current;
    return opened != null && opened.stream.hasReceived() && StreamFormat.WORK.carries(request)
        ? opened.stream
        : null;
  }

  /** Waits for tasks. */
  @Override
  public List<TaskWork> fetch(Poll poll) {
    if (!isPolling && poll.held().isZero()) {
      return List.of(); // last() repeats what an interrupt has cut off
    }
    try {
      change(() -> isFetching = true);
      while (!isPolling) {
        List<TaskWork> some = next();
        if (some != null) {
          return some;
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new HapaxException.Unavailable(interrupted);
    } finally {
      change(() -> isFetching = false);
    }
    return tasks().fetch(poll);
  }

  /** Withdraws the credit, and returns the tasks that are on the way. */
  @Override
  public List<TaskWork> last() {
    change(() -> isStopping = true);
    Timing.Timer end = timing.after(calls.tryTimeout(), () -> change(() -> isOver = true));
    List<TaskWork> all = new ArrayList<>();
    try {
      // also on a new stream: the tasks of a lost message come on it
      while (hasBegun && !isPolling && !isOver()) {
        List<TaskWork> some = next();
        all.addAll(some == null ? List.of() : some);
      }
    } catch (InterruptedException | HapaxException failed) {
      log.info("the last tasks are handed out again when their leases expire", failed);
    } finally {
      end.cancel();
    }
    return all;
  }

  @Override
  public void slotsChanged(int busy, int freed) {
    change(
        () -> {
          free += freed;
          waiting = Math.max(0, waiting - Math.max(0, busy));
        });
    tasks().slotsChanged(busy, freed);
    Opened opened = current;
    if (busy == 0 && freed < 0) {
      close();
    } else if (opened != null && opened.hasMore()) {
      opened.stream.flush();
    }
  }

  /** Ends the stream after its last response: no task needs it. */
  @Override
  public void close() {
    change(() -> isOver = true);
    Opened opened = current;
    if (opened != null) {
      opened.stream.halfClose();
    }
  }

  /** Returns tasks, or null when the stream has ended. */
  private @Nullable List<TaskWork> next() throws InterruptedException {
    Opened opened;
    try {
      opened = open();
    } catch (RuntimeException refused) {
      current = null;
      ended(false, Status.fromThrowable(refused));
      return null;
    }
    if (opened.hasMore()) {
      opened.stream.flush();
    }
    Status end;
    List<Answer<WorkResponse>> taken;
    lock.lockInterruptibly();
    try {
      while (arrived.isEmpty() && opened.end == null && !isOver && !isAcceptedAgain(opened)) {
        changed.await();
      }
      taken = List.copyOf(arrived);
      arrived.clear();
      end = isOver ? null : opened.end;
    } finally {
      lock.unlock();
    }
    if (taken.isEmpty() && end != null) {
      ended(opened.stream.hasReceived(), end);
      return null;
    }
    isRejected = false;
    return taken.stream().flatMap(this::take).toList();
  }

  /** The end of a rejection is reported at once, by no tasks. */
  private boolean isAcceptedAgain(Opened opened) {
    return isRejected && opened.stream.hasReceived();
  }

  private java.util.stream.Stream<TaskWork> take(Answer<WorkResponse> answer) {
    return answer.message().getTasksList().stream()
        .map(task -> take(task, answer))
        .filter(Objects::nonNull);
  }

  private @Nullable TaskWork take(dev.hapax.v1.Task task, Answer<WorkResponse> answer) {
    TaskWork work = tasks().take(task, answer, null);
    if (work == null) {
      change(() -> waiting--);
    }
    return work;
  }

  private Opened open() {
    Opened known = current;
    if (known != null) {
      return known;
    }
    Context callers = context.attach();
    try {
      hasBegun = true;
      Opened opened = new Opened();
      current = opened;
      opened.stream.open();
      timing.after(PING, opened::ping);
      return opened;
    } finally {
      context.detach(callers);
    }
  }

  /** Pauses before the next stream, or falls back to polls. */
  private void ended(boolean hasReceived, Status status) throws InterruptedException {
    unresponsive = !hasReceived && status.equals(Stream.NO_RESPONSE) ? unresponsive + 1 : 0;
    if (unresponsive == MAX_UNRESPONSIVE
        || (!hasReceived && status.getCode() == Status.Code.UNIMPLEMENTED)) {
      log.info("streams do not get through, the worker falls back to polling: {}", status);
      isPolling = true;
      return;
    }
    retries = hasReceived ? 0 : retries;
    if (hasReceived && status.isOk()) {
      return;
    }
    StatusRuntimeException error =
        (status.isOk() ? Stream.NO_RESPONSE : status).asRuntimeException();
    Optional<Duration> pause = Backoff.pause(error, retries);
    if (pause.isEmpty()) {
      isRejected = true;
      throw calls.exception(error);
    }
    if (retries > 0) {
      calls.isLost(error.getStatus());
    }
    retries++;
    timing.sleep(pause.get());
  }

  private boolean isOver() {
    lock.lock();
    try {
      return isOver;
    } finally {
      lock.unlock();
    }
  }

  private void change(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** One stream. */
  private final class Opened implements Stream.Owner {
    private final Stream stream;

    // guarded by the lock of the worker
    private int credit;
    private boolean isOpened;
    private boolean isConnected;
    private boolean isPinging;
    private boolean isStopSent;
    private @Nullable Status end;

    Opened() {
      stream =
          new Stream(calls.channel(), timing, StreamFormat.WORK, calls.tryTimeout(), false, this);
    }

    @Override
    public boolean hasMore() {
      lock.lock();
      try {
        return isPinging || (isStopping ? !isStopSent : creditToAdd() > 0);
      } finally {
        lock.unlock();
      }
    }

    /** No credit before the first message from Hapax: tasks on a broken stream would be lost. */
    private int creditToAdd() {
      return isConnected && isFetching && !isStopping
          ? Math.max(0, Math.min(MAX_CREDIT, free - waiting) - credit)
          : 0;
    }

    @Override
    public void addTo(Message.Builder message) {
      WorkRequest.Builder work = (WorkRequest.Builder) message;
      boolean hasCalls = work.getCallsCount() > 0;
      lock.lock();
      try {
        if (!isOpened) {
          work.setOpen(first.toBuilder().setResumeToken(token));
          isOpened = true;
        }
        // the server treats only a message without content as a ping
        boolean isPing = isPinging && !hasCalls && work.getCancelledCallIdsCount() == 0;
        int added = isPing ? 0 : creditToAdd();
        credit += added;
        work.setCredit(added).setStop(!isPing && isStopping && !isStopSent);
        isStopSent |= work.getStop();
        isPinging &= !hasCalls && !isPing;
      } finally {
        lock.unlock();
      }
      work.setClock(timing.nanos());
    }

    @Override
    public void received(Message message) {
      WorkResponse work = (WorkResponse) message;
      calls.arrived();
      boolean isNews = !isConnected || work.getTasksCount() > 0 || work.getStopped();
      if (!isNews) {
        return;
      }
      change(
          () -> {
            isConnected = true;
            if (work.getTasksCount() > 0) {
              token = work.getResumeToken();
              credit -= work.getTasksCount();
              waiting += work.getTasksCount();
              arrived.add(new Answer<>(work, work.getClock(), timing.nanos() - work.getClock()));
            }
            isOver |= work.getStopped();
          });
    }

    @Override
    public void ended(Stream ended, Status status) {
      current = null;
      change(() -> end = status);
    }

    /** Leases count from a message of the worker, and only a response proves that it arrived. */
    void ping() {
      if (current == this) {
        long pingAt = timing.nanos();
        change(() -> isPinging = true);
        stream.flush();
        timing.after(PING, () -> pinged(pingAt));
      }
    }

    private void pinged(long pingAt) {
      if (stream.lastReceivedAt() - pingAt < 0) {
        stream.abandon();
      } else {
        ping();
      }
    }
  }
}
