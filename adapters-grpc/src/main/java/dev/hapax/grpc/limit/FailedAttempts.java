package dev.hapax.grpc.limit;

import dev.hapax.grpc.limit.TokenBucket.Rate;
import java.net.SocketAddress;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits how many tokens of one address are verified in vain. Other credentials are compared with
 * memory, which costs less than an answer, so they are only counted.
 */
public final class FailedAttempts {
  /** The tokens of one address that may fail in a second. */
  public static final int PER_SECOND = 20;

  private static final Logger LOG = LoggerFactory.getLogger(FailedAttempts.class);

  private final TokenBuckets<ClientNetwork> attempts;
  private final LogGate log;
  private volatile LimitObserver observer = LimitObserver.NONE;

  /**
   * Makes a limit without failures.
   *
   * @param nanoTime a clock that only rises, such as {@link System#nanoTime}
   */
  public FailedAttempts(LongSupplier nanoTime) {
    this.attempts = new TokenBuckets<>(Rate.perSecond(PER_SECOND), nanoTime);
    this.log = new LogGate(nanoTime);
  }

  /** Whether another token of the address may be verified. Callers behind one address share it. */
  public boolean mayVerify(SocketAddress address) {
    return attempts.until(ClientNetwork.of(address), 1).isZero();
  }

  /** Counts a token that was verified in vain. */
  public void verifiedInVain(SocketAddress address) {
    // no debt: an address that went on trying could otherwise lock out its neighbours for long
    var _ = attempts.take(ClientNetwork.of(address), 1);
  }

  public void observe(LimitObserver refused) {
    observer = refused;
  }

  /**
   * Logs and counts a call that was refused.
   *
   * @param reason why; never the credential
   */
  public void refused(SocketAddress address, String reason) {
    var network = ClientNetwork.of(address);
    observer.unauthenticated(reason);
    log.write(
        count ->
            LOG.warn(
                "rejected {} unauthenticated calls, the last one from {}: {}",
                count,
                network,
                reason));
  }

  /** The number of addresses that are remembered. */
  int size() {
    return attempts.size();
  }
}
