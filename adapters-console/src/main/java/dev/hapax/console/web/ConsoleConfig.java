package dev.hapax.console.web;

import dev.hapax.console.view.LogLink;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * How browsers reach the console, and what its pages link to.
 *
 * @param hosts the names, without ports; IPv6 addresses in brackets
 * @param secured whether there is TLS
 * @param logs where the logs of a run are
 */
public record ConsoleConfig(Set<String> hosts, boolean secured, Optional<LogLink> logs) {
  public ConsoleConfig {
    hosts = hosts.stream().map(host -> host.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
  }

  /** Makes the handler of all routes. */
  public ConsoleHandler handler(List<Route> routes, LongSupplier data) {
    var templates = new Templates();
    return new ConsoleHandler(
        templates,
        new RequestGuard(hosts, secured),
        new Visits(
            routes,
            new SessionCookie(secured),
            new PageStates(data),
            templates,
            InstantSource.system()));
  }
}
