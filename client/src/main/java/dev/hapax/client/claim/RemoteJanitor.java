package dev.hapax.client.claim;

import dev.hapax.client.internal.Poller;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.ShutdownPolicy;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollRecoveriesResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A janitor in the process of its module. It polls for entities whose holder's lease expired, runs
 * {@link RecoveryCheck} for each on a thread of its own, and records the verdict. Any number of
 * processes may run one for the same module; each recovery goes to one of them. Threads are virtual
 * where the JVM has them, else daemons of a pool.
 *
 * <pre>{@code
 * RemoteJanitor janitor =
 *     hapax.newRemoteJanitor("payments")
 *         .declare(JanitorTerms.remote("payments").withAllClaimStates())
 *         .start(recovery -> isWritten(recovery) ? COMPLETE : REVERT);
 * ...
 * janitor.close();
 * }</pre>
 *
 * <p>While Hapax is unreachable it retries, with growing pauses of 100 ms to 2 s.
 */
public final class RemoteJanitor implements AutoCloseable {

  private final Duration closeTimeout;
  private final Poller<PollRecoveriesRequest, PollRecoveriesResponse> poller;
  private final ShutdownPolicy stopping;

  private RemoteJanitor(RemoteJanitorBuilder settings, RecoveryCheck check) {
    this.closeTimeout = settings.closeTimeout();
    RetryingCalls transport = settings.transport();
    Recoveries recoveries = new Recoveries(settings, transport, check);
    this.poller = new Poller<>(transport, settings.timing(), recoveries);
    recoveries.onFree(poller::next);
    this.stopping =
        new ShutdownPolicy(
            settings.timing(),
            () -> poller.stop().thenCompose(any -> recoveries.close()),
            recoveries::abandon);
  }

  static RemoteJanitor start(RemoteJanitorBuilder settings, RecoveryCheck check) {
    RemoteJanitor janitor = new RemoteJanitor(settings, check);
    janitor.poller.next();
    return janitor;
  }

  /**
   * Stops polling, and lets running checks end. After {@code atMost} it abandons them: their
   * verdicts are dropped, and the recoveries are handed out again when their leases expire. May be
   * called again, for instance to abandon earlier. Does not block.
   *
   * @return true when all checks have ended and are recorded; false when they were abandoned
   */
  public CompletableFuture<Boolean> stop(Duration atMost) {
    return stopping.stop(atMost);
  }

  /** Waits until the janitor is stopped. */
  public void awaitStopped() throws InterruptedException {
    stopping.await();
  }

  /**
   * As {@link #stop} with {@link RemoteJanitorBuilder#closeTimeout}, and waits for it. An interrupt
   * abandons running checks at once.
   */
  @Override
  public void close() {
    stopping.close(closeTimeout);
  }
}
