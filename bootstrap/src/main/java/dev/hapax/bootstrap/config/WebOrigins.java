package dev.hapax.bootstrap.config;

import java.net.URI;
import java.util.LinkedHashSet;
import java.util.Set;

/** Reads the origins of web pages as browsers send them. */
final class WebOrigins {
  private WebOrigins() {}

  static Set<String> parse(String text) {
    var origins = new LinkedHashSet<String>();
    for (var part : text.split(",", -1)) {
      if (!part.isBlank()) {
        origins.add(origin(part.strip()));
      }
    }
    return Set.copyOf(origins);
  }

  private static String origin(String text) {
    if (!text.matches("https?://([a-z0-9.-]+|\\[[0-9a-f:]+])(:[0-9]{1,5})?") || !isNormal(text)) {
      throw new IllegalArgumentException(
          "must be origins such as https://app.example.com, separated by commas: lower case, no"
              + " path, no default port, no wildcard (was %s)".formatted(text));
    }
    return text;
  }

  /** Browsers leave out the port that the scheme implies, so such an origin would never match. */
  private static boolean isNormal(String text) {
    var uri = URI.create(text);
    return uri.getHost() != null && uri.getPort() != (uri.getScheme().equals("https") ? 443 : 80);
  }
}
