package dev.hapax.grpc.quota;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HexFormat;

/**
 * The part of an address that belongs to one caller: an IPv4 address, or the first 64 bits of an
 * IPv6 address, below which a caller may choose any address.
 */
public record ClientNetwork(String name) {
  private static final int PREFIX_BYTES = 8;

  /** The network of a caller; all callers without an internet address share one. */
  public static ClientNetwork of(SocketAddress address) {
    return address instanceof InetSocketAddress internet && internet.getAddress() != null
        ? of(internet.getAddress())
        : new ClientNetwork("local");
  }

  private static ClientNetwork of(InetAddress address) {
    return address instanceof Inet6Address && !address.isLoopbackAddress()
        ? new ClientNetwork(
            HexFormat.of().formatHex(address.getAddress(), 0, PREFIX_BYTES) + "::/64")
        : new ClientNetwork(address.getHostAddress());
  }

  @Override
  public String toString() {
    return name;
  }
}
