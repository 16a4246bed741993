package dev.hapax.client.internal;

import dev.hapax.client.HapaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Renews leases at a third of their length, those nearly due together. */
public final class Heartbeats {

  private final Timing timing;
  private final Renewals renewals;
  private final Set<ClaimLease> leases = new LinkedHashSet<>();
  private Timing.@Nullable Timer timer;
  private long armedFor;

  /** Sends renewals. */
  public interface Renewals {
    /**
     * Renews each lease. The future completes, never exceptionally, when each lease has its result.
     */
    CompletableFuture<?> send(List<ClaimLease> due);
  }

  public Heartbeats(Timing timing, Renewals renewals) {
    this.timing = timing;
    this.renewals = renewals;
  }

  public synchronized void keep(ClaimLease lease) {
    leases.add(lease);
    arm(lease.dueIn(timing.nanos()));
  }

  /** The timer stops with the last lease: it would keep the caller's context alive. */
  public synchronized void release(ClaimLease lease) {
    leases.remove(lease);
    if (leases.isEmpty() && timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /**
   * Ends the renewals of a lease whose record is about to be locked, since a renewal would wait for
   * that lock. Renews it before if less than half of it remains.
   *
   * @throws HapaxException.Unavailable if this thread is interrupted
   */
  public void stop(ClaimLease lease) {
    release(lease);
    try {
      lease.stopHeartbeats();
      if (lease.isPastHalf()) {
        var unused = renewals.send(List.of(lease)).get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HapaxException.Unavailable(e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sends due renewals, and detects expired leases. */
  private void tick() {
    List<ClaimLease> all;
    synchronized (this) {
      timer = null;
      all = List.copyOf(leases);
    }
    long now = timing.nanos();
    List<ClaimLease> due = new ArrayList<>();
    for (ClaimLease lease : all) {
      if (lease.beginRenewal(now)) {
        due.add(lease);
      }
    }
    if (!due.isEmpty()) {
      var unused = renewals.send(due).whenComplete((any, error) -> arm());
    }
    all.forEach(ClaimLease::isLost);
    arm();
  }

  private synchronized void arm() {
    long now = timing.nanos();
    long soonest = ClaimLease.NEVER;
    for (ClaimLease lease : leases) {
      soonest = Math.min(soonest, lease.dueIn(now));
    }
    arm(soonest);
  }

  private synchronized void arm(long delay) {
    if (delay == ClaimLease.NEVER) {
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
