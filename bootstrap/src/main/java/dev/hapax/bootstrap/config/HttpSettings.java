package dev.hapax.bootstrap.config;

import dev.hapax.bootstrap.config.Setting.Kind;
import java.util.Optional;
import java.util.Set;

/** The settings of calls by HTTP. */
public final class HttpSettings {
  public static final Setting<Optional<HostPort>> HTTP_LISTEN =
      new Setting<>(
          "http-listen",
          "HOST:PORT",
          "",
          "Address of the HTTP server for calls with JSON; port 0 picks a free one. Off by default.",
          Kind.PLAIN,
          text -> SettingParsers.optional(text).map(HostPort::parse));
  static final Setting<Set<String>> HTTP_ORIGINS =
      new Setting<>(
          "http-origins",
          "ORIGIN,...",
          "",
          "Origins of web pages that may call by HTTP, such as https://app.example.com, or none.",
          Kind.PLAIN,
          WebOrigins::parse);

  private HttpSettings() {}
}
