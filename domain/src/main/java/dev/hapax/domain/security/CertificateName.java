package dev.hapax.domain.security;

import dev.hapax.domain.InvalidValueException;
import java.util.Locale;

/** A name that a client certificate must have among its subject alternative names. */
public sealed interface CertificateName {

  /** A URI, compared exactly. */
  record Uri(String uri) implements CertificateName {
    public Uri {
      require(uri.matches("[A-Za-z][A-Za-z0-9+.-]*:[^\\s*]+"), uri);
    }
  }

  /**
   * All URIs below a path, by their text: one with a dot segment may lead elsewhere and is not
   * below.
   *
   * @param prefix ends with a slash
   */
  record UrisBelow(String prefix) implements CertificateName {
    public UrisBelow {
      // without a host, * would stand for all trust domains
      require(prefix.matches("[A-Za-z][A-Za-z0-9+.-]*://[^\\s*/]+/(?:[^\\s*]*/)?"), prefix + "*");
    }
  }

  /**
   * A DNS name.
   *
   * @param name in lower case
   */
  record Dns(String name) implements CertificateName {
    public Dns {
      require(name.matches("[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*"), name);
    }
  }

  private static void require(boolean valid, String text) {
    if (!valid) {
      throw new InvalidValueException(
          "must be dns:NAME or a URI; * may only follow the last slash, below a host (was '%s')"
              .formatted(text));
    }
  }

  /** Parses a URI, which may end with {@code /*}, or {@code dns:NAME}. */
  static CertificateName parse(String text) {
    if (text.startsWith("dns:")) {
      return new Dns(text.substring("dns:".length()).toLowerCase(Locale.ROOT));
    }
    return text.endsWith("/*")
        ? new UrisBelow(text.substring(0, text.length() - 1))
        : new Uri(text);
  }

  /** Whether a certificate has this name. */
  default boolean isOf(ClientCertificate certificate) {
    return switch (this) {
      case Uri(var uri) -> certificate.uris().contains(uri);
      case UrisBelow(var prefix) ->
          certificate.uris().stream()
              .filter(uri -> uri.startsWith(prefix) && uri.length() > prefix.length())
              .anyMatch(uri -> !uri.matches("(?i).*/(?:\\.|%2e){1,2}(?:[/?#].*)?"));
      case Dns(var name) -> certificate.dnsNames().stream().anyMatch(name::equalsIgnoreCase);
    };
  }
}
