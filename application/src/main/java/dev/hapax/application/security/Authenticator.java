package dev.hapax.application.security;

import dev.hapax.domain.security.Authentication;
import dev.hapax.domain.security.Credentials;
import java.util.concurrent.CompletableFuture;

/**
 * Finds out who a caller is. Never blocks: it runs on the threads of the transport.
 *
 * <p>An unknown credential may complete later, for example after the keys of an issuer were read;
 * every other call gets a future that is complete.
 */
public interface Authenticator {
  CompletableFuture<Authentication> authenticate(Credentials credentials);

  /** Whether the credentials still hold: not expired and not revoked. */
  boolean isLive(Authentication.Authenticated caller);
}
