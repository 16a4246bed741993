package dev.hapax.bootstrap.config;

import dev.hapax.bootstrap.config.Setting.Kind;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The settings of calls by HTTP. */
public final class HttpSettings {
  public static final Setting<Optional<HostPort>> HTTP_LISTEN =
      new Setting<>(
          "http-listen",
          "HOST:PORT|off",
          "",
          "Address of the HTTP server for calls with JSON; port 0 picks a free one. Off by default.",
          Kind.PLAIN,
          SettingParsers::listen);
  static final Setting<Set<String>> HTTP_ORIGINS =
      new Setting<>(
          "http-origins",
          "ORIGIN,...",
          "",
          "Origins of web pages that may call by HTTP, such as https://app.example.com, or none.",
          Kind.PLAIN,
          WebOrigins::parse);

  static final Setting<Set<String>> HTTP_HOSTS =
      new Setting<>(
          "http-hosts",
          "NAME,...",
          "",
          "Host names by which clients without credentials reach the ports of --http-listen and"
              + " --metrics-listen, beside localhost and IP addresses; any other name is refused.",
          Kind.PLAIN,
          SettingParsers::names);

  private HttpSettings() {}

  /** The names under which the ports answer that clients reach without credentials. */
  static Set<String> hosts(
      SettingValues values, Optional<HostPort> calls, Optional<HostPort> metrics) {
    var hosts = new HashSet<>(values.get(HTTP_HOSTS));
    if (!hosts.isEmpty() && calls.isEmpty() && metrics.isEmpty()) {
      values.problem(HTTP_HOSTS, "needs --http-listen or --metrics-listen");
    }
    Stream.of(calls, metrics).flatMap(Optional::stream).map(HostPort::host).forEach(hosts::add);
    return hosts;
  }
}
