package dev.hapax.application.intent;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.SingleFlight;
import dev.hapax.domain.intent.IntentError;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.intent.IntentReads.InboxPosition;
import dev.hapax.domain.intent.IntentRequest;
import dev.hapax.domain.intent.PostedIntent;
import dev.hapax.domain.intent.TakeOutcome;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.monitoring.Loop;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds posted intents and takes them. A scan reads what the scan before could not see, of all
 * workspaces. What is more than a page of new intents, what waits, and what another node or a
 * failure here has left, is found by passes, in which workspaces take turns.
 */
final class IntentDrain {
  private static final FailureLog SCANS = new FailureLog(IntentDrain.class, "scan for intents");
  private static final Duration TICK = Duration.ofSeconds(1);

  /** So many ticks pass between two scans while no role may post intents. */
  private static final int UNUSED_TICKS = 10;

  private static final Duration REST = Duration.ofMillis(10);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration FULL_SCAN_INTERVAL = Duration.ofSeconds(30);

  /** Attempts that a defect of this server fails before the intent itself fails, if it may. */
  private static final int MAX_DEFECTS = 5;

  private final IntentReads reads;
  private final IntentTaker taker;
  private final InstantSource clock;
  private final ScheduledExecutorService timer;
  private final IntentLanes lanes = new IntentLanes();
  private final FailureLog takeLog = new FailureLog(IntentDrain.class, "executing an intent");
  private final Loop loop = new Loop("intents", TICK.multipliedBy(UNUSED_TICKS), System::nanoTime);
  private final SingleFlight scans;
  private final InboxPasses passes;

  // guarded by this
  private Optional<String> snapshot = Optional.empty();
  private Instant fullScanAt = Instant.MIN;
  private boolean isUsed;
  private int ticks;

  IntentDrain(
      IntentReads reads, IntentTaker taker, InstantSource clock, ScheduledExecutorService timer) {
    this.reads = reads;
    this.taker = taker;
    this.clock = clock;
    this.timer = timer;
    this.passes =
        new InboxPasses(
            reads,
            lanes,
            page -> page.intents().forEach(intent -> found(intent, page.now())),
            SCANS,
            clock,
            timer);
    this.scans = new SingleFlight(this::scan, REST, SCANS, timer, loop::ended);
  }

  void start() {
    scans.request();
    var _ =
        timer.scheduleWithFixedDelay(
            SCANS.surviving(this::tick), TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
  }

  Loop loop() {
    return loop;
  }

  /** Requests a scan now. */
  void nudge() {
    scans.request();
  }

  private void tick() {
    synchronized (this) {
      ticks++;
      if (!isUsed && ticks % UNUSED_TICKS > 0) {
        return;
      }
    }
    scans.request();
  }

  private CompletableFuture<?> scan() {
    return begin()
        .map(this::scanNew)
        .orElseGet(() -> findWorkspaces(Optional.empty()))
        .whenComplete(
            (_, failure) -> {
              if (failure != null) {
                requireFullScan();
              }
            });
  }

  /** The snapshot of the scan before; empty = all workspaces are to be read. */
  private synchronized Optional<String> begin() {
    var now = clock.instant();
    if (snapshot.isPresent() && now.isBefore(fullScanAt)) {
      return snapshot;
    }
    fullScanAt = now.plus(FULL_SCAN_INTERVAL);
    return Optional.empty();
  }

  private CompletableFuture<?> scanNew(String since) {
    return reads
        .scan(InboxPosition.since(since), InboxPasses.PAGE)
        .thenCompose(
            page -> {
              if (!page.isLast()) {
                return findWorkspaces(Optional.of(since));
              }
              seen(page.snapshot(), page.isUsed() || !page.intents().isEmpty());
              page.intents().forEach(intent -> foundNew(intent, page.now()));
              return CompletableFuture.completedFuture(null);
            });
  }

  /** So many intents are new that workspaces take turns. */
  private CompletableFuture<Void> findWorkspaces(Optional<String> since) {
    return reads
        .workspaces(since)
        .thenAccept(
            all -> {
              seen(all.snapshot(), all.isUsed() || !all.workspaces().isEmpty());
              all.workspaces().forEach(passes::request);
            });
  }

  private synchronized void seen(String shown, boolean used) {
    snapshot = Optional.of(shown);
    isUsed = used;
  }

  private void foundNew(PostedIntent intent, Instant now) {
    var workspace = intent.id().workspace();
    passes.addNew(
        workspace,
        () -> {
          if (lanes.hasRoom(workspace)) {
            found(intent, now);
          } else {
            passes.request(workspace);
          }
        });
  }

  private void found(PostedIntent intent, Instant now) {
    if (intent.posted().isPaused(now)) {
      lanes.close(intent);
      var pause = Duration.between(now, intent.posted().notBefore().orElseThrow());
      passes.request(intent.id().workspace(), clock.instant().plus(pause));
    } else if (lanes.add(intent)) {
      take(intent, 0);
    }
  }

  private void take(PostedIntent intent, int defects) {
    var _ =
        attempt(intent, defects)
            .whenComplete((outcome, failure) -> ended(intent, defects, outcome, failure));
  }

  private CompletableFuture<TakeOutcome> attempt(PostedIntent intent, int defects) {
    try {
      // a completion that failed would stay pending on its record
      return defects < MAX_DEFECTS || intent.request() instanceof IntentRequest.Completion
          ? taker.take(intent)
          : taker.fail(intent, IntentError.INTERNAL, "see the log of the server");
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(new LedgerException.Defective("cannot take it", e));
    }
  }

  private void ended(
      PostedIntent intent,
      int defects,
      @Nullable TakeOutcome outcome,
      @Nullable Throwable failure) {
    if (failure != null) {
      takeLog.failed(failure);
      var next = isDefect(failure) ? defects + 1 : defects;
      after(RETRY, () -> take(intent, next));
      return;
    }
    switch (outcome) {
      case TakeOutcome.Taken _, TakeOutcome.Gone _ -> {
        var next = lanes.taken(intent);
        next.ready().forEach(each -> take(each, 0));
        if (next.isReopened()) {
          passes.request(intent.id().workspace());
        }
      }
      case TakeOutcome.Deferred(var until) -> {
        lanes.defer(intent).forEach(each -> take(each, 0));
        passes.request(intent.id().workspace(), until);
      }
      case TakeOutcome.Outdated _ -> throw new IllegalStateException("the taker resolves it");
      case null -> throw new IllegalStateException("neither an outcome nor a failure");
    }
    passes.read();
  }

  private static boolean isDefect(Throwable failure) {
    return (failure instanceof CompletionException ? failure.getCause() : failure)
        instanceof LedgerException.Defective;
  }

  private synchronized void requireFullScan() {
    fullScanAt = Instant.MIN;
  }

  private void after(Duration time, Runnable task) {
    var _ = timer.schedule(task, time.toNanos(), TimeUnit.NANOSECONDS);
  }
}
