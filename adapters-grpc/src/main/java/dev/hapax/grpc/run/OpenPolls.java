package dev.hapax.grpc.run;

import dev.hapax.application.run.PollRequest;
import dev.hapax.application.run.Task;
import dev.hapax.application.run.Tasks;
import dev.hapax.grpc.call.CallStream;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The polls of one Work stream, which together accept as many tasks as the worker has credit for.
 * They run in several lanes: while the places of one poll belong to a batch that is being
 * committed, the next batch finds places in another.
 */
final class OpenPolls {
  private static final Duration WAIT = Duration.ofSeconds(20);

  /** The wait of a poll with few places, so that credit received meanwhile is used soon. */
  private static final Duration SHORT_WAIT = Duration.ofSeconds(1);

  /** The pause after a poll that returned early, as on a server that stops. */
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Tasks tasks;
  private final StreamPollTerms requests;
  private final CallStream<WorkResponse, ?, WorkResponse.Builder> stream;
  private final List<PollLane> lanes;

  // guarded by this
  private int credit;
  private int mostCredit;
  private WorkClock clock = new WorkClock(0, System.nanoTime());
  private WorkClock writtenClock = clock;
  private boolean filling;
  private boolean again;
  private boolean stopped;
  private boolean cancelled;
  private final List<Runnable> whenIdle = new ArrayList<>();

  OpenPolls(
      Tasks tasks,
      StreamPollTerms requests,
      CallStream<WorkResponse, ?, WorkResponse.Builder> stream) {
    this.tasks = tasks;
    this.requests = requests;
    this.stream = stream;
    this.lanes = requests.lanes();
  }

  /** Receives the clock and credit of the worker. */
  void receive(WorkRequest message) {
    synchronized (this) {
      clock = new WorkClock(message.getClock(), System.nanoTime());
      var unused = unused();
      if (message.getCredit() < 0 || message.getCredit() > PollRequest.MAX_TASKS - unused) {
        throw new InvalidFieldException(
            "credit",
            String.format(
                Locale.ROOT,
                "must be between 0 and %d, with %d unused (was %d)",
                PollRequest.MAX_TASKS - unused,
                unused,
                message.getCredit()));
      }
      credit += message.getCredit();
      mostCredit = Math.max(mostCredit, unused());
    }
    if (message.getStop()) {
      stop(() -> stream.send(new WorkStreamNotice.Stopped()));
    } else if (isPing(message)) {
      stream.send(new WorkStreamNotice.Ping(message.getClock()));
    } else {
      fill();
    }
  }

  private static boolean isPing(WorkRequest message) {
    return message.getCallsCount() == 0
        && message.getCancelledCallIdsCount() == 0
        && message.getCredit() == 0
        && !message.hasOpen();
  }

  private int unused() {
    return credit + lanes.stream().mapToInt(lane -> lane.places).sum();
  }

  /** Begins polls, if there is credit and the worker reads. */
  void fill() {
    synchronized (this) {
      again = true;
      if (filling) {
        return;
      }
      filling = true;
    }
    while (isToFill()) {
      lanes.forEach(this::begin);
    }
  }

  private synchronized boolean isToFill() {
    filling = again;
    again = false;
    return filling;
  }

  private void begin(PollLane lane) {
    PollRequest request;
    Duration wait;
    synchronized (this) {
      if (lane.busy || cancelled) {
        return;
      }
      var places = lane.recovering ? 0 : share();
      if (!lane.recovering && places <= 0) {
        return;
      }
      lane.busy = true;
      lane.places = places;
      credit -= places;
      request = requests.of(lane, places);
      wait = wait(lane);
    }
    var startNanos = System.nanoTime();
    var poll = poll(request, wait);
    boolean isOver;
    synchronized (this) {
      lane.poll = poll;
      isOver = isOver(lane);
    }
    var _ =
        poll.whenComplete(
            (granted, failure) ->
                polled(lane, startNanos, wait, granted == null ? List.of() : granted, failure));
    if (isOver) {
      poll.cancel(false);
    }
  }

  /** The number of tasks that the next poll may take. */
  private int share() {
    if (stopped || !stream.isReady()) {
      return 0;
    }
    var idle = (int) lanes.stream().filter(lane -> !lane.busy && !lane.recovering).count();
    return Math.ceilDiv(credit, idle);
  }

  private Duration wait(PollLane lane) {
    if (lane.recovering) {
      return Duration.ZERO;
    }
    return lane.places < mostCredit / lanes.size() ? SHORT_WAIT : WAIT;
  }

  private CompletableFuture<List<Task>> poll(PollRequest request, Duration wait) {
    try {
      return tasks.poll(request, wait);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Whether tasks that the poll of a lane is granted must be released. */
  private boolean isOver(PollLane lane) {
    return cancelled || (stopped && !lane.recovering);
  }

  private void polled(
      PollLane lane,
      long startNanos,
      Duration wait,
      List<Task> granted,
      @Nullable Throwable failure) {
    boolean isOver;
    boolean isQuick;
    int turn;
    synchronized (this) {
      isOver = isOver(lane);
      credit += lane.places;
      lane.places = 0;
      lane.poll = null;
      if (!isOver && !granted.isEmpty()) {
        credit -= granted.size();
        lane.turn++;
      }
      isQuick =
          !lane.recovering
              && granted.isEmpty()
              && System.nanoTime() - startNanos < wait.toNanos() / 2;
      lane.recovering &= !granted.isEmpty();
      turn = lane.turn;
    }
    if (isOver) {
      granted.forEach(tasks::returnUndelivered);
    } else if (failure != null) {
      stop(() -> stream.finish(failure));
    } else if (!granted.isEmpty()) {
      stream.send(new StreamedTasks(this, lane, turn, startNanos, granted));
    } else if (isQuick) {
      CompletableFuture.delayedExecutor(PAUSE.toNanos(), TimeUnit.NANOSECONDS)
          .execute(() -> free(lane));
      return;
    }
    free(lane);
  }

  private void free(PollLane lane) {
    synchronized (this) {
      lane.busy = false;
    }
    runIfIdle();
    fill();
  }

  private void runIfIdle() {
    List<Runnable> toRun;
    synchronized (this) {
      if (!stopped
          || lanes.stream().anyMatch(lane -> lane.busy || (lane.recovering && !cancelled))) {
        return;
      }
      toRun = List.copyOf(whenIdle);
      whenIdle.clear();
    }
    toRun.forEach(Runnable::run);
  }

  /** Stops polling; {@code then} runs when no poll can be granted tasks any more. */
  void stop(Runnable then) {
    synchronized (this) {
      stopped = true;
      whenIdle.add(then);
    }
    end();
    fill();
    runIfIdle();
  }

  /** Stops at once, after the worker has closed the stream. */
  void cancel() {
    synchronized (this) {
      cancelled = true;
    }
    end();
  }

  private void end() {
    List<CompletableFuture<?>> polls;
    synchronized (this) {
      polls = new ArrayList<>();
      for (var lane : lanes) {
        if (lane.poll != null && isOver(lane)) {
          polls.add(lane.poll);
        }
      }
    }
    polls.forEach(poll -> poll.cancel(false));
  }

  /** The clock from which the leases of all tasks in a message are counted. */
  synchronized WorkClock clockOf(WorkResponse.Builder message) {
    if (message.getTasksCount() == 0) {
      writtenClock = clock;
    }
    return writtenClock;
  }

  /** Records that the tasks of a turn are written; returns the token that confirms them. */
  synchronized String written(PollLane lane, int turn) {
    lane.written = turn;
    return requests.token(lanes);
  }

  /** Releases tasks that do not reach the worker and returns their credit. */
  void releaseGrants(List<Task> unsent) {
    synchronized (this) {
      credit += unsent.size();
    }
    unsent.forEach(tasks::returnUndelivered);
  }

  void failed(RuntimeException failure) {
    stop(() -> stream.finish(failure));
  }
}
