package dev.hapax.bootstrap.config;

import java.util.Set;

/**
 * Where browsers reach the console.
 *
 * @param required whether the server must not start without it; otherwise the port is the default
 * @param hosts the names in addresses of browsers, without ports
 */
public record ConsoleListen(HostPort address, boolean required, Set<String> hosts) {
  public ConsoleListen {
    hosts = Set.copyOf(hosts);
  }
}
