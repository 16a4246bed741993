package dev.hapax.console.web;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The cookie with the id of the session.
 *
 * @param secured whether the console has TLS; a browser takes no {@code __Host-} cookie without it
 */
record SessionCookie(boolean secured) {
  private static final String ID = "[A-Za-z0-9_-]{43}";

  /** Without TLS the port is in the name: all ports of a host have the same cookies. */
  private String name(ConsoleRequest request) {
    return secured ? "__Host-hapax" : "hapax-" + request.port();
  }

  Optional<String> read(ConsoleRequest request) {
    var name = name(request) + "=";
    return request.headers().getOrDefault("Cookie", List.of()).stream()
        .flatMap(header -> Arrays.stream(header.split(";")))
        .map(String::strip)
        .filter(cookie -> cookie.startsWith(name))
        .map(cookie -> cookie.substring(name.length()))
        .filter(id -> id.matches(ID))
        .findFirst();
  }

  /** The header that sets it. */
  String header(ConsoleRequest request, String id) {
    return String.format(
        Locale.ROOT,
        "%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Strict%s",
        name(request),
        id,
        WebSessions.LIFETIME.toSeconds(),
        secured ? "; Secure" : "");
  }
}
