package dev.hapax.application.security;

import dev.hapax.domain.security.Authentication;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Credentials;
import dev.hapax.domain.security.Principal;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Accepts every caller as {@link Principal#LOCAL}, whatever it presents. */
public final class NoAuthentication implements Authenticator {
  private static final Authenticated LOCAL =
      new Authenticated(Principal.LOCAL, Optional.empty(), Instant.MAX);

  private final CompletableFuture<Authentication> local = CompletableFuture.completedFuture(LOCAL);

  @Override
  public CompletableFuture<Authentication> authenticate(Credentials credentials) {
    return local;
  }

  @Override
  public boolean isLive(Authenticated caller) {
    return true;
  }
}
