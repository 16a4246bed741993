package dev.hapax.bootstrap.config;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** A host and a port. */
public record HostPort(String host, int port) {
  private static final int MAX_PORT = 65_535;

  public HostPort {
    if (host.isBlank()) {
      throw new IllegalArgumentException("host is missing");
    }
    if (port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException("port must be 0.." + MAX_PORT);
    }
  }

  /** Parses {@code HOST:PORT}; an IPv6 address needs brackets. */
  public static HostPort parse(String text) {
    if (text.contains("://")) {
      throw new IllegalArgumentException(
          "must be HOST:PORT, without " + text.substring(0, text.indexOf("://") + 3));
    }
    int colon = text.lastIndexOf(':');
    if (colon < 0 || !text.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException("must be HOST:PORT");
    }
    var host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.contains(":")) {
      throw new IllegalArgumentException("an IPv6 address needs brackets: [::1]:7420");
    }
    return new HostPort(host, Integer.parseInt(text.substring(colon + 1)));
  }

  /** Returns whether the host is a loopback address; fails if it does not resolve. */
  public boolean isLoopback() {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("host '" + host + "' does not resolve", e);
    }
  }

  public InetSocketAddress socketAddress() {
    return new InetSocketAddress(host, port);
  }

  public HostPort withPort(int chosen) {
    return new HostPort(host, chosen);
  }

  @Override
  public String toString() {
    return host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
  }
}
