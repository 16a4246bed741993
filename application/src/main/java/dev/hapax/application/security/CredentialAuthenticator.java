package dev.hapax.application.security;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.domain.security.Authentication;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Authentication.Reason;
import dev.hapax.domain.security.Authentication.Refused;
import dev.hapax.domain.security.ClientCertificate;
import dev.hapax.domain.security.Credentials;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Authenticates callers by API key, token or client certificate. A bearer wins over a certificate:
 * a proxy that forwards calls has a certificate of its own.
 */
public final class CredentialAuthenticator implements Authenticator {
  private final ApiKeys keys;
  private final Optional<CertificatePrincipals> certificates;
  private final Optional<TokenVerifier> tokens;
  private final InstantSource clock;

  public CredentialAuthenticator(
      ApiKeys keys,
      Optional<CertificatePrincipals> certificates,
      Optional<TokenVerifier> tokens,
      InstantSource clock) {
    this.keys = keys;
    this.certificates = certificates;
    this.tokens = tokens;
    this.clock = clock;
  }

  @Override
  public Recognition recognize(Credentials credentials) {
    return credentials
        .bearer()
        .map(this::byBearer)
        .orElseGet(
            () ->
                new Recognition.Known(
                    credentials
                        .certificate()
                        .map(this::byCertificate)
                        .orElseGet(() -> new Refused(Reason.MISSING))));
  }

  private Recognition byBearer(String bearer) {
    if (tokens.isEmpty() || bearer.startsWith(ApiKey.PREFIX)) {
      return new Recognition.Known(byApiKey(bearer));
    }
    var verifier = tokens.get();
    return verifier
        .known(bearer)
        .<Recognition>map(Recognition.Known::new)
        .orElseGet(() -> new Recognition.Unverified(bearer, verifier));
  }

  private Authentication byApiKey(String text) {
    ApiKey presented;
    try {
      presented = ApiKey.parse(text);
    } catch (InvalidValueException _) {
      return new Refused(Reason.API_KEY);
    }
    return keys.use(presented, clock.instant())
        .<Authentication>map(
            key ->
                new Authenticated(
                    key.principal(), Optional.of(key.id()), key.expiresAt().orElse(Instant.MAX)))
        .orElseGet(() -> new Refused(Reason.API_KEY));
  }

  private Authentication byCertificate(ClientCertificate certificate) {
    return certificates
        .filter(_ -> clock.instant().isBefore(certificate.expiresAt()))
        .flatMap(all -> all.find(certificate))
        .<Authentication>map(
            principal -> new Authenticated(principal, Optional.empty(), certificate.expiresAt()))
        .orElseGet(() -> new Refused(Reason.CERTIFICATE));
  }

  @Override
  public boolean isLive(Authenticated caller) {
    var now = clock.instant();
    return now.isBefore(caller.expiresAt())
        && caller.apiKeyId().filter(id -> !keys.ring().isLive(id, now)).isEmpty();
  }
}
