package dev.hapax.client;

import dev.hapax.client.Calls.Budget;
import dev.hapax.client.internal.Rejections;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.client.internal.Timing;
import io.grpc.Context;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Polls on a thread of its own while there is room, and runs each item on another one. */
final class Polling {

  private static final Logger log = LoggerFactory.getLogger(Polling.class);
  private static final int MAX_ITEMS = 500;
  private static final Duration WAIT = Duration.ofSeconds(20);
  private static final Duration AFTER_EMPTY_ANSWER = Duration.ofMillis(100);

  private static final Duration LAST_POLL = Duration.ofSeconds(5);
  private final Timing timing;
  private final String name;
  private final int concurrency;
  private final Executor executor;
  private final Fetch fetch;
  private final Rejections rejections;

  // guards the rest; a monitor would pin virtual threads that wait
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Thread thread;
  private BooleanSupplier first = () -> true;
  private int busy;
  private boolean isDispatching;
  private boolean isStopped;
  private boolean hasEnded;
  private boolean isAbandoned;
  private boolean isReported;
  private boolean isOver;

  /**
   * One poll.
   *
   * @param attemptId the same one gets the same items, however long it waits
   * @param room how many items it may return
   * @param held how long the server may hold the request
   */
  record Poll(String attemptId, int room, Duration held, Budget budget) {}

  /** Sends polls. */
  interface Fetch {

    /** Sends one poll, and returns its items. */
    List<? extends Item> fetch(Poll poll);

    /** Returns the items that are on the way after the last poll. */
    default List<? extends Item> last() {
      return List.of();
    }

    /** As {@link Observer#slotsChanged}. */
    default void slotsChanged(int busy, int free) {}
  }

  /** Something to do, which has a slot until it returns. */
  interface Item {

    void run();

    /** The executor has rejected it, so it does not run. */
    default void rejected() {}
  }

  /**
   * Polls nothing yet.
   *
   * @param name of the polls, for the log
   * @param executor runs the items
   */
  Polling(Timing timing, String name, int concurrency, Executor executor, Fetch fetch) {
    this.timing = timing;
    this.name = name;
    this.concurrency = concurrency;
    this.executor = executor;
    this.fetch = fetch;
    this.rejections = new Rejections(log, name);
    this.thread = SystemTiming.daemons("hapax-poll-").newThread(Context.current().wrap(this::poll));
  }

  /**
   * Begins; {@link #drain} ends it.
   *
   * @param first is called before the first poll, on the same thread; false = do not poll
   */
  void start(BooleanSupplier first) {
    fetch.slotsChanged(0, concurrency);
    this.first = first;
    thread.start();
  }

  private void poll() {
    try {
      if (!first.getAsBoolean()) {
        return;
      }
      for (int room = room(); room > 0; room = room()) {
        pollOnce(new Poll(UUID.randomUUID().toString(), room, WAIT, Budget.poll(WAIT)));
      }
      // the interrupt of the poll has done its work
      var unused = Thread.interrupted();
      dispatch(fetch.last());
    } finally {
      change(() -> hasEnded = true);
      reportIfEmpty();
    }
  }

  /** Waits for a free slot, and returns how many there are; 0 = it is stopped. */
  private int room() {
    lock.lock();
    try {
      // tasks of a stream that broke come on the next one, beyond its credit
      while (!isStopped && busy >= concurrency) {
        changed.awaitUninterruptibly();
      }
      return isStopped ? 0 : Math.min(MAX_ITEMS, concurrency - busy);
    } finally {
      lock.unlock();
    }
  }

  private void pollOnce(Poll poll) {
    long began = timing.nanos();
    try {
      List<? extends Item> items = fetch.fetch(poll);
      rejections.accepted();
      dispatch(items);
      if (items.isEmpty() && timing.nanos() - began < poll.held().toNanos() / 2) {
        pause(AFTER_EMPTY_ANSWER);
      }
    } catch (RuntimeException failed) {
      if (isStopped()) {
        pollLast(poll);
      } else {
        pause(rejections.rejected(Status.fromThrowable(failed)));
      }
    }
  }

  /** The answer to the interrupted poll may be on the way, with items that would stay granted. */
  private void pollLast(Poll poll) {
    var unused = Thread.interrupted();
    try {
      dispatch(
          fetch.fetch(
              new Poll(poll.attemptId(), poll.room(), Duration.ZERO, Budget.of(LAST_POLL))));
    } catch (RuntimeException failed) {
      log.info(
          "the last {} failed; its items are handed out again when their leases expire",
          name,
          failed);
    }
  }

  private void dispatch(List<? extends Item> items) {
    change(
        () -> {
          isDispatching = true;
          busy += items.size();
        });
    // an executor may run items on this thread: an interrupt of the poll must not reach them
    var unused = Thread.interrupted();
    for (Item item : items) {
      fetch.slotsChanged(1, -1);
      try {
        executor.execute(() -> run(item));
      } catch (RejectedExecutionException refused) {
        log.error(
            "the executor rejected an item of {}, which is handed out again when its lease expires",
            name,
            refused);
        item.rejected();
        free();
      }
    }
    change(() -> isDispatching = false);
    unused = Thread.interrupted();
  }

  private void run(Item item) {
    try {
      item.run();
    } catch (RuntimeException | Error thrown) {
      log.error("an item of {} failed", name, thrown);
    } finally {
      free();
    }
  }

  private void free() {
    change(() -> busy--);
    fetch.slotsChanged(-1, 1);
    reportIfEmpty();
  }

  private void reportIfEmpty() {
    boolean isEmpty;
    lock.lock();
    try {
      isEmpty = hasEnded && busy == 0 && !isReported;
      isReported |= isEmpty;
    } finally {
      lock.unlock();
    }
    if (isEmpty) {
      fetch.slotsChanged(0, -concurrency);
      change(() -> isOver = true);
    }
  }

  private void pause(Duration pause) {
    try {
      timing.sleep(pause);
    } catch (InterruptedException stopped) {
      log.debug("{} is stopped", name);
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

  private boolean isStopped() {
    lock.lock();
    try {
      return isStopped;
    } finally {
      lock.unlock();
    }
  }

  /** Polls no more. */
  void stop() {
    change(
        () -> {
          if (!isStopped && !isDispatching) {
            thread.interrupt();
          }
          isStopped = true;
        });
  }

  /**
   * Polls no more, and waits for the items. May be called again, to wait for a shorter time.
   *
   * @return false = not all have ended in time, or this thread is interrupted, which keeps its flag
   */
  boolean drain(Duration atMost) {
    stop();
    Timing.Timer end = timing.after(atMost, () -> change(() -> isAbandoned = true));
    lock.lock();
    try {
      while (!isOver && !isAbandoned) {
        changed.await();
      }
      return !isAbandoned;
    } catch (InterruptedException interrupted) {
      isAbandoned = true;
      changed.signalAll();
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
      end.cancel();
    }
  }

  /** Waits until another thread has drained it. */
  void awaitEnd() throws InterruptedException {
    lock.lock();
    try {
      while (!isOver && !isAbandoned) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Repeats a call while Hapax rejects it, as polls are.
   *
   * @param name of the call, for the log
   * @throws HapaxException.Unavailable if this thread is interrupted
   */
  static <R> R untilAccepted(Connection connection, String name, Supplier<R> call) {
    Rejections rejections = new Rejections(log, name);
    while (true) {
      try {
        R answer = call.get();
        rejections.accepted();
        return answer;
      } catch (HapaxException.Unavailable interrupted) {
        throw interrupted;
      } catch (HapaxException rejected) {
        try {
          connection.calls().timing().sleep(rejections.rejected(Status.fromThrowable(rejected)));
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          throw new HapaxException.Unavailable(interrupted);
        }
      }
    }
  }
}
