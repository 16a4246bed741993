package dev.hapax.domain.security;

import java.util.Optional;

/**
 * What a call presents to prove who its caller is.
 *
 * @param bearer the secret after {@code Bearer} in the header {@code authorization}
 * @param certificate the client certificate of the connection, verified by TLS
 */
public record Credentials(Optional<String> bearer, Optional<ClientCertificate> certificate) {
  public static final Credentials NONE = new Credentials(Optional.empty(), Optional.empty());

  /** Returns which credentials there are, without the secret. */
  @Override
  public String toString() {
    return "Credentials[bearer=%s, certificate=%s]"
        .formatted(bearer.isPresent() ? "***" : "none", certificate);
  }
}
