package dev.hapax.grpc.limit;

import dev.hapax.grpc.limit.TokenBucket.Rate;
import java.net.SocketAddress;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the failed attempts to authenticate of one address. Ask {@link #mayTry} before a
 * credential is checked, and report each failure.
 */
public final class FailedAttempts {
  /** The failed attempts of one address in a second. */
  public static final int PER_SECOND = 20;

  private static final Logger LOG = LoggerFactory.getLogger(FailedAttempts.class);

  private final TokenBuckets<ClientNetwork> attempts;
  private final LogGate log;

  /**
   * Makes a limit without failures.
   *
   * @param nanoTime a clock that only rises, such as {@link System#nanoTime}
   */
  public FailedAttempts(LongSupplier nanoTime) {
    this.attempts = new TokenBuckets<>(Rate.perSecond(PER_SECOND), nanoTime);
    this.log = new LogGate(nanoTime);
  }

  /** Whether the address may try another credential. Callers behind one address share its limit. */
  public boolean mayTry(SocketAddress address) {
    return attempts.until(ClientNetwork.of(address), 1).isZero();
  }

  /**
   * Reports a failure.
   *
   * @param reason why; never the credential
   */
  public void failed(SocketAddress address, String reason) {
    var network = ClientNetwork.of(address);
    // no debt: an address that went on trying could otherwise lock out its neighbours for long
    var _ = attempts.take(network, 1);
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
