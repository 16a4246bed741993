package dev.hapax.client.claim;

import dev.hapax.client.internal.Poller;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.ShutdownPolicy;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollRecoveriesResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The janitor of a module that looks by itself. It polls for entities whose holder is gone, lets
 * {@link RecoveryCheck} check on a thread of its own what became of the action, and tells Hapax. Any
 * number of processes may have one for the same module; each recovery is given to one of them. A
 * virtual thread where the JVM has them, a daemon of a pool elsewhere.
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
 * <p>While Hapax cannot be reached it goes on asking, with growing pauses of 100 ms to 2 s.
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
   * Asks for nothing more, but lets those check that are at it. After {@code atMost} it gives up:
   * what they find is dropped, and handed out again when their leases are over. May be called
   * again, for instance to give up earlier.
   *
   * @return true when all have looked and Hapax was told; false when it gave up. Does not block
   */
  public CompletableFuture<Boolean> stop(Duration atMost) {
    return stopping.stop(atMost);
  }

  /** Waits until it is stopped. */
  public void awaitStopped() throws InterruptedException {
    stopping.await();
  }

  /**
   * As {@link #stop} with {@link RemoteJanitorBuilder#closeTimeout}, and waits for it. An interrupt
   * makes it give up at once.
   */
  @Override
  public void close() {
    stopping.close(closeTimeout);
  }
}
