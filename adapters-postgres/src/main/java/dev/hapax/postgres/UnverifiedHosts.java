package dev.hapax.postgres;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.postgresql.jdbc.SslMode;
import org.postgresql.util.PSQLException;

/** Finds the hosts of a JDBC URL that other machines can impersonate or overhear. */
public final class UnverifiedHosts {
  private UnverifiedHosts() {}

  /** Returns the hosts beyond loopback whose certificates and names are not verified. */
  public static List<String> of(String url) {
    var properties = Driver.parseURL(url, new Properties());
    if (properties == null || isVerified(properties)) {
      return List.of();
    }
    return Stream.of(String.valueOf(PGProperty.PG_HOST.getOrDefault(properties)).split(","))
        .filter(host -> !isLoopback(host))
        .toList();
  }

  private static boolean isVerified(Properties properties) {
    try {
      return SslMode.of(properties) == SslMode.VERIFY_FULL;
    } catch (PSQLException _) {
      // the driver reports the value that it does not know
      return false;
    }
  }

  private static boolean isLoopback(String host) {
    try {
      return Stream.of(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
    } catch (UnknownHostException _) {
      return false;
    }
  }
}
