package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Clients that begin and complete one key after another, and read it, until the load ends. They
 * send a request that is refused again, as it is.
 */
final class OnceLoad implements AutoCloseable {
  private static final int CLIENTS = 8;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Caller caller;
  private final Map<String, String> results = new ConcurrentHashMap<>();
  private final Queue<Refused> refusals = new ConcurrentLinkedQueue<>();
  private final Queue<String> oddities = new ConcurrentLinkedQueue<>();
  private final List<Thread> threads;
  private volatile boolean over;

  /** A call that was refused. */
  record Refused(int client, String call, Duration after, Refusal refusal) {}

  private OnceLoad(Caller caller) {
    this.caller = caller;
    threads =
        IntStream.range(0, CLIENTS)
            .mapToObj(client -> Thread.ofVirtual().start(() -> work(client)))
            .toList();
  }

  static OnceLoad start(Caller caller) {
    return new OnceLoad(caller);
  }

  private void work(int client) {
    try {
      for (var n = 0; !over; n++) {
        once(client, String.format(Locale.ROOT, "once-%d-%d", client, n));
      }
    } catch (StatusRuntimeException e) {
      oddities.add("client " + client + ": " + e);
    }
  }

  private void once(int client, String key) {
    var begin = caller.begin(key).setLease(Caller.seconds(120));
    var begun = untilAnswered(client, "begin", () -> caller.send(begin));
    if (!begun.hasAcquired() || begun.getAcquired().getReclaimed()) {
      oddities.add("%s: begin: %s".formatted(key, begun));
      return;
    }
    var result = "\"of " + begun.getAcquired().getClaim().getFence() + "\"";
    var claim = begun.getAcquired().getClaim();
    var ended =
        untilAnswered(client, "complete", () -> caller.complete(claim, Caller.json(result)));
    if (!ended.hasCompleted()) {
      oddities.add("%s: complete: %s".formatted(key, ended));
      return;
    }
    results.put(key, result);
    requireResult(key, untilAnswered(client, "get", () -> caller.get(key)).getResult().getJson());
  }

  private void requireResult(String key, String found) {
    if (!found.equals(results.get(key))) {
      oddities.add("%s: its result is %s instead of %s".formatted(key, found, results.get(key)));
    }
  }

  private <R> R untilAnswered(int client, String name, Supplier<R> call) {
    while (true) {
      var sent = System.nanoTime();
      try {
        return call.get();
      } catch (StatusRuntimeException e) {
        if (!Rivals.mayBeSentAgain(e.getStatus())) {
          throw e;
        }
        var after = Duration.ofNanos(System.nanoTime() - sent);
        refusals.add(new Refused(client, name, after, Refusal.of(e)));
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** How many keys are completed and acknowledged. */
  int completed() {
    return results.size();
  }

  /** The calls that were refused so far. */
  List<Refused> refusals() {
    return List.copyOf(refusals);
  }

  /** Whether each client was refused. */
  boolean isRefused() {
    return refusals.stream().map(Refused::client).distinct().count() == CLIENTS;
  }

  /** Waits until all is done, and checks that each key was begun and completed once. */
  void finish() {
    over = true;
    Rivals.join(threads);
    assertThat(oddities).isEmpty();
    for (var key : Set.copyOf(results.keySet())) {
      requireResult(key, caller.get(key).getResult().getJson());
      // another attempt
      requireResult(key, caller.send(caller.begin(key)).getReplay().getResult().getJson());
    }
    assertThat(oddities).isEmpty();
  }

  @Override
  public void close() {
    over = true;
  }
}
