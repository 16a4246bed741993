package dev.hapax.client;

import dev.hapax.client.internal.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Renews the claims of a client at a third of their leases, those nearly due together. */
final class Renewals {

  private static final int MAX_CLAIMS = 500;

  private final Timing timing;
  // guarded by this
  private final Map<Claim, Renewal> held = new LinkedHashMap<>();
  private Timing.@Nullable Timer timer;
  private long armedFor;

  /** Sends renewals. */
  interface Renewal {
    /**
     * Renews each claim. The future completes, never exceptionally, when each has its result.
     *
     * @param due at most 500 claims that have this renewal
     */
    CompletableFuture<?> send(List<Claim> due);
  }

  Renewals(Timing timing) {
    this.timing = timing;
  }

  synchronized void hold(Claim claim, Renewal renewal) {
    held.put(claim, renewal);
    arm(claim.lease().dueIn(timing.nanos()));
  }

  /** Renews the claim no longer. The timer stops with the last one. */
  synchronized void release(Claim claim) {
    held.remove(claim);
    if (held.isEmpty() && timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /**
   * Releases a claim whose record is about to be locked, since a renewal would wait for that lock.
   * Renews it before if less than half of it remains.
   *
   * @throws HapaxException.Unavailable if this thread is interrupted
   */
  void renewLast(Claim claim) {
    Renewal renewal;
    synchronized (this) {
      renewal = held.get(claim);
    }
    release(claim);
    try {
      claim.lease().stopRenewals();
      if (renewal != null && claim.lease().isPastHalf()) {
        var unused = renewal.send(List.of(claim)).get();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new HapaxException.Unavailable(interrupted);
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Sends due renewals, and detects expired leases. */
  private void tick() {
    Map<Claim, Renewal> all;
    synchronized (this) {
      timer = null;
      all = new LinkedHashMap<>(held);
    }
    long now = timing.nanos();
    Map<Renewal, List<Claim>> due = new LinkedHashMap<>();
    all.forEach(
        (claim, renewal) -> {
          if (claim.lease().beginRenewal(now)) {
            due.computeIfAbsent(renewal, any -> new ArrayList<>()).add(claim);
          }
        });
    due.forEach(this::send);
    all.keySet().forEach(claim -> claim.lease().isLost());
    arm();
  }

  private void send(Renewal renewal, List<Claim> due) {
    for (int from = 0; from < due.size(); from += MAX_CLAIMS) {
      List<Claim> some = due.subList(from, Math.min(due.size(), from + MAX_CLAIMS));
      var unused = renewal.send(some).whenComplete((any, error) -> some.forEach(this::rearm));
    }
  }

  private synchronized void rearm(Claim claim) {
    // one that was released meanwhile needs no timer
    if (held.containsKey(claim)) {
      arm(claim.lease().dueIn(timing.nanos()));
    }
  }

  private synchronized void arm() {
    long now = timing.nanos();
    long soonest = Claim.NEVER;
    for (Claim claim : held.keySet()) {
      soonest = Math.min(soonest, claim.lease().dueIn(now));
    }
    arm(soonest);
  }

  private synchronized void arm(long delay) {
    if (delay == Claim.NEVER) {
      return;
    }
    long when = timing.nanos() + Math.max(0, delay);
    if (timer != null) {
      if (armedFor - when <= 0) {
        return;
      }
      timer.cancel();
    }
    armedFor = when;
    timer = timing.after(Duration.ofNanos(Math.max(0, delay)), this::tick);
  }
}
