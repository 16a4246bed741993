package dev.hapax.application.intent;

import dev.hapax.application.definition.Definitions;
import dev.hapax.application.hook.Hooks;
import dev.hapax.application.run.Runs;
import dev.hapax.application.waiting.RecordPoll;
import dev.hapax.application.waiting.RecordPoll.Next;
import dev.hapax.application.waiting.RemoteChangeProbe;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.application.waiting.Waiters;
import dev.hapax.domain.Page;
import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.monitoring.Loop;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;

/** Takes intents, and reads what became of them. */
public final class Intents {
  private final IntentReads reads;
  private final IntentDrain drain;
  private final Waiters<IntentId> waiters;
  private final ScheduledExecutorService timer;

  public Intents(
      Ledger ledger,
      IntentReads reads,
      Definitions definitions,
      Runs runs,
      Hooks hooks,
      StartFingerprints fingerprints,
      WaiterQuota places,
      InstantSource clock,
      ScheduledExecutorService timer) {
    this.reads = reads;
    this.timer = timer;
    this.waiters = new Waiters<>(places);
    var taker = new IntentTaker(definitions, runs, hooks, fingerprints);
    this.drain = new IntentDrain(reads, taker, clock, timer);
    ledger.onPendingIntent(new PendingIntentTaker(reads, taker)::take);
    ledger.onCommit(waiters::wake);
    ledger.onRemoteCommit(new RemoteChangeProbe<>(waiters, reads::taken, timer)::wakeChanged);
  }

  /** Begins to take intents. */
  public void start() {
    drain.start();
  }

  /** The repeated work that {@link #start} begins. */
  public Loop loop() {
    return drain.loop();
  }

  /** Scans for intents now. */
  public void nudge() {
    drain.nudge();
  }

  /** Returns the intent once it was taken, or as it is when the wait ends; empty = unknown. */
  public CompletableFuture<Optional<IntentReads.Found>> await(IntentId id, Duration wait) {
    return new RecordPoll<>(
            id,
            waiters,
            timer,
            _ -> reads.find(id),
            found -> {
              var isPosted = found.filter(one -> one.intent() instanceof Intent.Posted).isPresent();
              if (isPosted) {
                drain.nudge();
              }
              return Next.answerIf(!isPosted);
            })
        .start(wait);
  }

  public CompletableFuture<Page<IntentReads.Found, UUID>> list(IntentReads.Query query) {
    return reads.list(query);
  }

  /** Ends every wait with the current state. */
  public void stopWaiting() {
    waiters.close();
  }
}
