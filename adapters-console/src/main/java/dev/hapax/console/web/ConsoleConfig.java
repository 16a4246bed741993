package dev.hapax.console.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.grpc.Channel;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * How browsers reach the console.
 *
 * @param hosts the names, without ports; IPv6 addresses in brackets
 * @param secured whether there is TLS
 * @param needsLogin whether the server refuses a visitor of this connection who has no session
 */
public record ConsoleConfig(
    Set<String> hosts, boolean secured, Predicate<HttpExchange> needsLogin) {
  public ConsoleConfig {
    hosts = hosts.stream().map(host -> host.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
  }

  /** Makes the handler of all routes. */
  public HttpHandler handler(
      List<Route> routes, Function<HttpExchange, Channel> channels, LongSupplier data) {
    var templates = new Templates();
    return new ConsoleHandler(
        templates,
        new RequestGuard(hosts, secured),
        new Visits(
            routes,
            channels,
            needsLogin,
            new SessionCookie(secured),
            new PageStates(data),
            templates,
            InstantSource.system()));
  }
}
