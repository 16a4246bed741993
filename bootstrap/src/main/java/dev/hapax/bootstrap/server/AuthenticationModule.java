package dev.hapax.bootstrap.server;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import dev.hapax.application.security.ApiKeys;
import dev.hapax.application.security.Authenticator;
import dev.hapax.application.security.CertificatePrincipals;
import dev.hapax.application.security.CredentialAuthenticator;
import dev.hapax.application.security.TokenVerifier;
import dev.hapax.domain.security.ApiKeyReads;
import dev.hapax.domain.security.ApiKeyUses;
import dev.hapax.grpc.security.AuditLog;
import dev.hapax.grpc.security.CallAuthentication;
import dev.hapax.grpc.security.OpenCalls;
import java.time.InstantSource;
import java.util.Optional;

/** Binds what authenticates callers. */
final class AuthenticationModule extends AbstractModule {
  private final boolean required;
  private final Optional<CertificatePrincipals> certificates;
  private final Optional<TokenVerifier> tokens;

  /**
   * Makes the module.
   *
   * @param required whether every call needs credentials
   */
  AuthenticationModule(
      boolean required,
      Optional<CertificatePrincipals> certificates,
      Optional<TokenVerifier> tokens) {
    this.required = required;
    this.certificates = certificates;
    this.tokens = tokens;
  }

  @Provides
  @Singleton
  ApiKeys apiKeys(ApiKeyReads reads, ApiKeyUses uses, InstantSource clock) {
    return new ApiKeys(reads, uses, clock);
  }

  @Provides
  @Singleton
  Authenticator authenticator(ApiKeys keys, InstantSource clock) {
    return new CredentialAuthenticator(keys, certificates, tokens, clock);
  }

  @Provides
  @Singleton
  OpenCalls openCalls(Authenticator authenticator) {
    return new OpenCalls(authenticator);
  }

  @Provides
  @Singleton
  Optional<CallAuthentication> authentication(
      Authenticator authenticator, OpenCalls open, AuditLog audit) {
    return required
        ? Optional.of(new CallAuthentication(authenticator, open, audit, System::nanoTime))
        : Optional.empty();
  }
}
