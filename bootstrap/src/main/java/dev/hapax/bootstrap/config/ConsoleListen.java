package dev.hapax.bootstrap.config;

import dev.hapax.console.view.LogLink;
import java.util.Optional;
import java.util.Set;

/**
 * Where browsers reach the console, and what it links to.
 *
 * @param required whether the server must not start without it; otherwise the port is the default
 * @param hosts the names in addresses of browsers, without ports
 * @param logs where the logs of a run are
 */
public record ConsoleListen(
    HostPort address, boolean required, Set<String> hosts, Optional<LogLink> logs) {
  public ConsoleListen {
    hosts = Set.copyOf(hosts);
  }
}
