package dev.hapax.application.intent;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.intent.IntentReads.InboxPage;
import dev.hapax.domain.intent.IntentReads.InboxPosition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the inboxes of workspaces from their beginnings. Workspaces take turns, a page each, and
 * one page is read at a time. A pass of a workspace rests for as long as the one before took, so
 * that a long inbox costs the database half of a connection at most.
 */
final class InboxPasses {
  private static final Duration LONGEST_REST = Duration.ofSeconds(30);
  private static final Duration RETRY = Duration.ofSeconds(1);

  /** The intents of a page. */
  static final int PAGE = 500;

  private final IntentReads reads;
  private final IntentLanes lanes;
  private final Consumer<InboxPage> found;
  private final FailureLog log;
  private final InstantSource clock;
  private final ScheduledExecutorService timer;

  // guarded by this
  private final Map<Workspace, Pass> passes = new HashMap<>();
  private final Map<Workspace, Instant> planned = new HashMap<>();
  private final Deque<Pass> ready = new ArrayDeque<>();
  private boolean isReading;

  /** The pass of a workspace. */
  private static final class Pass {
    private final Workspace workspace;
    private Optional<InboxPosition> next = Optional.empty();
    private Instant began = Instant.EPOCH;
    private boolean isRequestedAgain;

    Pass(Workspace workspace) {
      this.workspace = workspace;
    }
  }

  /**
   * Creates the passes.
   *
   * @param found takes each page, in the order of a workspace
   */
  InboxPasses(
      IntentReads reads,
      IntentLanes lanes,
      Consumer<InboxPage> found,
      FailureLog log,
      InstantSource clock,
      ScheduledExecutorService timer) {
    this.reads = reads;
    this.lanes = lanes;
    this.found = found;
    this.log = log;
    this.clock = clock;
    this.timer = timer;
  }

  /** Requests a pass that begins after this call. */
  void request(Workspace workspace) {
    synchronized (this) {
      var pass = passes.get(workspace);
      if (pass != null) {
        pass.isRequestedAgain = true;
        return;
      }
      ready.add(passes.computeIfAbsent(workspace, Pass::new));
    }
    read();
  }

  /** Requests a pass at this time, unless one is requested before. */
  void request(Workspace workspace, Instant at) {
    synchronized (this) {
      var before = planned.get(workspace);
      if (before != null && !at.isBefore(before)) {
        return;
      }
      planned.put(workspace, at);
    }
    after(Duration.between(clock.instant(), at), () -> isDue(workspace, at));
  }

  private void isDue(Workspace workspace, Instant at) {
    synchronized (this) {
      planned.remove(workspace, at);
    }
    request(workspace);
  }

  /**
   * Adds a new intent, unless a pass of its workspace finds it. No pass begins meanwhile: the
   * intent would pass others that the pass has not found yet.
   */
  synchronized void addNew(Workspace workspace, Runnable add) {
    var pass = passes.get(workspace);
    if (pass == null) {
      add.run();
    } else {
      pass.isRequestedAgain = true;
    }
  }

  /** Reads the next page, if none is being read and there is room for one. */
  void read() {
    Optional<Pass> turn;
    synchronized (this) {
      turn =
          isReading
              ? Optional.empty()
              : ready.stream().filter(pass -> lanes.hasRoom(pass.workspace)).findFirst();
      turn.ifPresent(ready::remove);
      isReading |= turn.isPresent();
    }
    turn.ifPresent(this::read);
  }

  private void read(Pass pass) {
    if (pass.next.isEmpty()) {
      pass.began = clock.instant();
      synchronized (this) {
        pass.isRequestedAgain = false;
      }
      lanes.open(pass.workspace);
    }
    var position = pass.next.orElseGet(() -> InboxPosition.in(pass.workspace));
    var _ =
        scan(position)
            .thenAccept(
                page -> {
                  pass.next = page.isLast() ? Optional.empty() : Optional.of(page.next(position));
                  found.accept(page);
                })
            .whenComplete((_, failure) -> ended(pass, failure));
  }

  private CompletableFuture<InboxPage> scan(InboxPosition position) {
    try {
      return reads.scan(position, PAGE);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void ended(Pass pass, @Nullable Throwable failure) {
    if (failure != null) {
      log.failed(failure);
      pass.next = Optional.empty();
    }
    boolean isOver;
    synchronized (this) {
      isReading = false;
      isOver = failure == null && pass.next.isEmpty() && !pass.isRequestedAgain;
      if (isOver) {
        passes.remove(pass.workspace);
      }
    }
    if (!isOver) {
      // until then its workspace stays covered, so that no intent passes others
      after(failure == null ? rest(pass) : RETRY, () -> enqueue(pass));
    }
    after(Duration.ZERO, this::read);
  }

  private Duration rest(Pass pass) {
    if (pass.next.isPresent()) {
      return Duration.ZERO;
    }
    var took = Duration.between(pass.began, clock.instant());
    return took.compareTo(LONGEST_REST) < 0 ? took : LONGEST_REST;
  }

  private void enqueue(Pass pass) {
    synchronized (this) {
      ready.add(pass);
    }
    read();
  }

  private void after(Duration time, Runnable task) {
    try {
      var _ = timer.schedule(log.surviving(task), time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException _) {
      // the server is stopping
    }
  }
}
