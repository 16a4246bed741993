package dev.hapax.application.security;

import dev.hapax.domain.security.Authentication;
import dev.hapax.domain.security.Credentials;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Finds out who a caller is. Never blocks: it runs on the threads of the transport. */
public interface Authenticator {
  /**
   * Decides from memory, in microseconds.
   *
   * @return empty = a token that has to be verified
   */
  Optional<Authentication> known(Credentials credentials);

  /** Verifies a token, perhaps after the keys of its issuer were read. */
  CompletableFuture<Authentication> verify(Credentials credentials);

  /** Whether the credentials still hold: not expired and not revoked. */
  boolean isLive(Authentication.Authenticated caller);
}
