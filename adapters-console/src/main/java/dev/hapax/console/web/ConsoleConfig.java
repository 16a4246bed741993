package dev.hapax.console.web;

import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * How browsers reach the console.
 *
 * @param hosts the names, without ports; IPv6 addresses in brackets
 * @param secured whether there is TLS
 */
public record ConsoleConfig(Set<String> hosts, boolean secured) {
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
