package dev.hapax.bootstrap.token;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Set;

/** Where an issuer publishes its keys. */
sealed interface KeyLocation {
  /** Beyond loopback, keys without TLS could be replaced on the way. */
  Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  /** A JWK set. */
  record KeySet(URI uri) implements KeyLocation {}

  /** An OpenID Connect discovery document, which has the address of the JWK set. */
  record Discovery(URI uri) implements KeyLocation {}

  static KeyLocation keySet(String url) {
    return new KeySet(parse(url));
  }

  /** The discovery document of an issuer, whose name must be a URL. */
  static KeyLocation discovery(String issuer) {
    var base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
    return new Discovery(parse(base + "/.well-known/openid-configuration"));
  }

  /**
   * Parses a URL from which keys may be read.
   *
   * @throws IllegalArgumentException if it is not https, or http on this machine
   */
  static URI parse(String url) {
    URI uri;
    try {
      uri = new URI(url);
    } catch (URISyntaxException _) {
      throw new IllegalArgumentException("must be a URL");
    }
    if (uri.getHost() == null || uri.getUserInfo() != null || uri.getFragment() != null) {
      throw new IllegalArgumentException("must be a URL with a host, without user and fragment");
    }
    var isPlainLoopback = "http".equals(uri.getScheme()) && LOOPBACK.contains(uri.getHost());
    if (!"https".equals(uri.getScheme()) && !isPlainLoopback) {
      throw new IllegalArgumentException("must be an https URL");
    }
    return uri;
  }
}
