package dev.hapax.grpc.quota;

import java.util.Locale;

/**
 * The most connections of a server.
 *
 * @param total from all addresses together
 * @param perAddress from one IPv4 address, or one IPv6 network of 64 bits
 */
public record ConnectionLimits(int total, int perAddress) {
  /** Fits a small heap; a load balancer that hides its clients needs more for its address. */
  public static final ConnectionLimits DEFAULT = new ConnectionLimits(10_000, 1_000);

  public ConnectionLimits {
    if (total < 1 || perAddress < 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "connections must be at least 1 (was %d, %d of one address)",
              total,
              perAddress));
    }
  }
}
