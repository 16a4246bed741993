package dev.hapax.bootstrap.server;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import dev.hapax.application.security.ApiKeys;
import dev.hapax.application.security.Authenticator;
import dev.hapax.application.security.Callers;
import dev.hapax.domain.security.ApiKeyReads;
import dev.hapax.grpc.security.AuditLog;
import dev.hapax.grpc.security.CallAuthentication;
import dev.hapax.grpc.security.OpenCalls;
import java.time.InstantSource;
import java.util.Optional;

/** Binds what authenticates callers. */
final class AuthenticationModule extends AbstractModule {
  private final boolean required;

  AuthenticationModule(boolean required) {
    this.required = required;
  }

  @Provides
  @Singleton
  ApiKeys apiKeys(ApiKeyReads reads, InstantSource clock) {
    return new ApiKeys(reads, clock);
  }

  @Provides
  @Singleton
  Authenticator authenticator(ApiKeys keys, InstantSource clock) {
    return new Callers(keys, Optional.empty(), Optional.empty(), clock);
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
        ? Optional.of(new CallAuthentication(authenticator, open, audit))
        : Optional.empty();
  }
}
