package dev.hapax.application.security;

import dev.hapax.domain.security.Authentication;
import dev.hapax.domain.security.Authentication.Authenticated;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Verifies signed tokens of trusted issuers. Never blocks, like {@link Authenticator}. */
public interface TokenVerifier {
  /** Returns the caller of a token that was verified a short time ago. */
  Optional<Authenticated> known(String token);

  /** Returns a principal, or a refusal with the reason TOKEN or SIGNATURE; never throws. */
  CompletableFuture<Authentication> verify(String token);
}
