package dev.hapax.application.security;

import dev.hapax.domain.security.Authentication;
import java.util.concurrent.CompletableFuture;

/** Verifies signed tokens of trusted issuers. Never blocks, like {@link Authenticator}. */
public interface TokenVerifier {
  /** Returns a principal, or a refusal with the reason TOKEN. */
  CompletableFuture<Authentication> verify(String token);
}
