package dev.hapax.client;

import dev.hapax.v1.Claim;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.RenewOperationRequest;
import dev.hapax.v1.RenewOperationResponse;
import io.grpc.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A claim that is kept alive, and how long its holder may believe in it.
 *
 * <p>Renewals are sent every third of the lease. The holder's belief ends before the server's lease
 * can: it counts from the moment the request was <em>sent</em>, and a tenth of the lease or two
 * round trips, whichever is more, earlier.
 */
final class Lease {

  private static final Logger log = LoggerFactory.getLogger(Lease.class);
  private static final Duration LONGEST_TRY = Duration.ofSeconds(5);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final Wire wire;
  private final Timing timing;
  private final RenewOperationRequest renewal;
  private final Duration length;
  private final long renewUntil;
  private final Context context = Context.current().fork();
  private final List<Runnable> listeners = new ArrayList<>();

  private volatile long believedUntil;
  private volatile boolean lost;
  private volatile boolean stopped;
  private boolean deaf;
  private Timing.@Nullable Timer nextBeat;
  private Timing.@Nullable Timer endOfBelief;

  /**
   * @param holdAtMost after it nothing is renewed any more, so that work that never ends does not
   *     keep its key for ever
   */
  Lease(
      Wire wire,
      Timing timing,
      String workspace,
      Claim claim,
      Duration length,
      Duration holdAtMost) {
    this.wire = wire;
    this.timing = timing;
    this.length = length;
    this.renewUntil = timing.nanos() + holdAtMost.toNanos();
    this.renewal =
        RenewOperationRequest.newBuilder()
            .setWorkspace(workspace)
            .setClaim(claim)
            .setLease(WireTimes.toProto(length))
            .build();
  }

  /** Starts counting and renewing, from the answer that granted the lease. */
  synchronized void start(Wire.Answer<?> grant, Duration remaining) {
    believe(grant, remaining);
    watch();
    beatAt(grant.sentAt() + length.toNanos() / 3);
  }

  /** Ends the renewals; the claim has ended or is left to end. */
  synchronized void stop() {
    stopped = true;
    cancel(nextBeat);
    cancel(endOfBelief);
  }

  /** The work is over: from now on nobody is told of a loss, though the lease is still kept. */
  synchronized void workEnded() {
    deaf = true;
    listeners.clear();
  }

  /** Judged by the clock, not by the timer: a process that slept knows it at once. */
  boolean isLost() {
    if (!lost && !stopped && timing.nanos() - believedUntil >= 0) {
      lose();
    }
    return lost;
  }

  void onLost(Runnable listener) {
    synchronized (this) {
      if (deaf) {
        return;
      }
      if (!isLost()) {
        listeners.add(listener);
        return;
      }
    }
    tell(listener);
  }

  private synchronized void believe(Wire.Answer<?> answer, Duration remaining) {
    long margin = Math.max(remaining.toNanos() / 10, 2 * answer.roundTrip());
    believedUntil = answer.sentAt() + remaining.toNanos() - margin;
  }

  private synchronized void watch() {
    if (!stopped && !isLost()) {
      endOfBelief = timing.after(Duration.ofNanos(believedUntil - timing.nanos()), this::watch);
    }
  }

  private synchronized void beatAt(long when) {
    if (stopped) {
      return;
    }
    if (when - renewUntil > 0) {
      log.warn("claim {} is not renewed any more: its work holds it too long", id());
      return;
    }
    nextBeat = timing.after(Duration.ofNanos(when - timing.nanos()), () -> context.run(this::beat));
  }

  private void beat() {
    Duration timeout = min(length.dividedBy(3), LONGEST_TRY);
    var unused =
        wire.sendOnce(OperationServiceGrpc.getRenewOperationMethod(), renewal, timeout)
            .whenComplete(this::answered);
  }

  private void answered(
      Wire.@Nullable Answer<RenewOperationResponse> answer, @Nullable Throwable error) {
    if (answer != null) {
      renewed(answer);
    } else {
      log.debug("claim {} could not be renewed yet", id(), error);
      beatAt(timing.nanos() + min(length.dividedBy(12), LONGEST_PAUSE).toNanos());
    }
  }

  private void renewed(Wire.Answer<RenewOperationResponse> answer) {
    RenewOperationResponse response = answer.response();
    if (response.hasRenewed()) {
      believe(answer, WireTimes.toJava(response.getRenewed().getLeaseRemaining()));
      beatAt(answer.sentAt() + length.toNanos() / 3);
    } else {
      stop();
      lose();
    }
  }

  private void lose() {
    List<Runnable> told;
    synchronized (this) {
      if (lost) {
        return;
      }
      lost = true;
      told = List.copyOf(listeners);
      listeners.clear();
    }
    log.warn("claim {} is lost: its lease was over, or another attempt has it", id());
    told.forEach(this::tell);
  }

  private void tell(Runnable listener) {
    timing
        .callbacks()
        .execute(
            () -> {
              try {
                listener.run();
              } catch (RuntimeException thrown) {
                log.error("a listener for the loss of claim {} threw", id(), thrown);
              }
            });
  }

  private String id() {
    return renewal.getClaim().getId();
  }

  private static void cancel(Timing.@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
