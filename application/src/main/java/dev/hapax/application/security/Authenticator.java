package dev.hapax.application.security;

import dev.hapax.domain.security.Authentication;
import dev.hapax.domain.security.Credentials;
import java.util.concurrent.CompletableFuture;

/** Finds out who a caller is. Never blocks: it runs on the threads of the transport. */
public interface Authenticator {
  /** Recognizes a caller from memory, in microseconds. */
  Recognition recognize(Credentials credentials);

  /** Whether the credentials still hold: not expired and not revoked. */
  boolean isLive(Authentication.Authenticated caller);

  /** The result of checking credentials in memory. */
  sealed interface Recognition {
    record Known(Authentication authentication) implements Recognition {}

    /** A token that has to be verified. */
    record Unverified(String token, TokenVerifier verifier) implements Recognition {
      /** Verifies the token, perhaps after the keys of its issuer were read. */
      public CompletableFuture<Authentication> verify() {
        return verifier.verify(token);
      }

      /** Returns nothing of the token. */
      @Override
      public String toString() {
        return "Unverified[***]";
      }
    }
  }
}
