package dev.hapax.console.bulk;

import dev.hapax.console.web.CallErrors;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes many runs, a few concurrently. A run that cannot be changed does not stop the others; any
 * other error ends the job after the calls in flight.
 */
final class BulkJob {
  /** The change of one run, by a call of the API. */
  @FunctionalInterface
  interface Change {
    void apply(String run);
  }

  /** Why a run was not changed. */
  record Rejection(String run, String reason) {}

  /** How far a job is; its failure is what ended it before all runs were tried. */
  record Progress(
      int runs, int changed, List<Rejection> rejections, boolean ended, Optional<String> failure) {
    int tried() {
      return changed + rejections.size();
    }
  }

  /** Leaves most of the server to its other callers. */
  private static final int CONCURRENCY = 8;

  private static final int ATTEMPTS = 6;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

  /** Errors of one run. */
  private static final Set<Status.Code> OF_RUN =
      Set.of(
          Status.Code.NOT_FOUND,
          Status.Code.FAILED_PRECONDITION,
          Status.Code.ABORTED,
          Status.Code.INVALID_ARGUMENT);

  /** Errors that pass. Every change is idempotent, so it is sent again. */
  private static final Set<Status.Code> TRANSIENT =
      Set.of(
          Status.Code.RESOURCE_EXHAUSTED, Status.Code.UNAVAILABLE, Status.Code.DEADLINE_EXCEEDED);

  private static final Logger LOG = LoggerFactory.getLogger(BulkJob.class);

  private final List<String> runs;
  private final Change change;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger changed = new AtomicInteger();
  private final Queue<Rejection> rejections = new ConcurrentLinkedQueue<>();
  private volatile Optional<String> failure = Optional.empty();
  private volatile boolean ended;

  BulkJob(List<String> runs, Change change) {
    this.runs = List.copyOf(runs);
    this.change = change;
  }

  Progress progress() {
    // read first, so that a job which has ended shows all of its runs
    var isOver = ended;
    return new Progress(runs.size(), changed.get(), List.copyOf(rejections), isOver, failure);
  }

  void run() {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CONCURRENCY; i++) {
        threads.execute(this::changeRuns);
      }
    }
    ended = true;
  }

  private void changeRuns() {
    for (int i = next.getAndIncrement();
        i < runs.size() && failure.isEmpty();
        i = next.getAndIncrement()) {
      change(runs.get(i));
    }
  }

  private void change(String run) {
    try {
      attempt(run);
      changed.incrementAndGet();
    } catch (StatusRuntimeException e) {
      if (OF_RUN.contains(e.getStatus().getCode())) {
        rejections.add(new Rejection(run, CallErrors.sentence(e)));
      } else {
        failure = Optional.of(CallErrors.sentence(e));
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      failure = Optional.of("The server stops.");
    } catch (RuntimeException e) {
      LOG.error("unexpected error in a bulk change", e);
      failure = Optional.of("The log of the server has the cause.");
    }
  }

  private void attempt(String run) throws InterruptedException {
    var pause = FIRST_PAUSE;
    for (int attempt = 1; ; attempt++) {
      try {
        change.apply(run);
        return;
      } catch (StatusRuntimeException e) {
        if (attempt == ATTEMPTS || !TRANSIENT.contains(e.getStatus().getCode())) {
          throw e;
        }
      }
      Thread.sleep(pause);
      pause = pause.multipliedBy(2);
    }
  }
}
