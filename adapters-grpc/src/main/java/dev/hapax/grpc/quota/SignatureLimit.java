package dev.hapax.grpc.quota;

import dev.hapax.grpc.quota.TokenBucket.Rate;
import java.net.SocketAddress;
import java.util.function.LongSupplier;

/**
 * Limits how many wrong signatures of one address are verified. Everything else about a credential
 * costs less than its answer, so it needs no limit.
 */
public final class SignatureLimit {
  /** The wrong signatures of one address in a second. */
  public static final int PER_SECOND = 20;

  private final TokenBuckets<ClientNetwork> wrong;

  /**
   * Makes a limit without wrong signatures.
   *
   * @param nanoTime a clock that only rises, such as {@link System#nanoTime}
   */
  public SignatureLimit(LongSupplier nanoTime) {
    this.wrong = new TokenBuckets<>(Rate.perSecond(PER_SECOND), nanoTime);
  }

  /** Whether the address may have another token verified. Callers behind one address share it. */
  public boolean mayVerify(SocketAddress address) {
    return wrong.until(ClientNetwork.of(address), 1).isZero();
  }

  /** Counts a wrong signature. */
  public void wrong(SocketAddress address) {
    // no debt: an address that went on trying could otherwise lock out its neighbours for long
    var _ = wrong.take(ClientNetwork.of(address), 1);
  }

  /** The number of addresses that are remembered. */
  int size() {
    return wrong.size();
  }
}
