package dev.hapax.bootstrap.identity;

import dev.hapax.application.security.CertificatePrincipals;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.token.JwtVerifier;
import dev.hapax.bootstrap.token.TokenIssuer;
import dev.hapax.bootstrap.token.TokenIssuersFile;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

/** The identities in files, read before the database is opened. */
public record IdentityFiles(
    List<TokenIssuer> issuers, Optional<CertificatePrincipals> certificates) {
  public IdentityFiles {
    issuers = List.copyOf(issuers);
  }

  /** Reads the files that are configured. */
  public static IdentityFiles read(ServerConfig config) throws ConfigurationException {
    var issuers =
        config.tokenIssuers().isPresent()
            ? TokenIssuersFile.read(config.tokenIssuers().get())
            : List.<TokenIssuer>of();
    var certificates =
        config.certificateIdentities().isPresent()
            ? Optional.<CertificatePrincipals>of(
                CertificateIdentitiesFile.read(config.certificateIdentities().get()))
            : Optional.<CertificatePrincipals>empty();
    return new IdentityFiles(issuers, certificates);
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return issuers.isEmpty() && certificates.isEmpty();
  }

  /** Starts to read the keys of the issuers; empty = no issuer is trusted. */
  public Optional<JwtVerifier> startTokens(InstantSource clock, ScheduledExecutorService timer) {
    return issuers.isEmpty()
        ? Optional.empty()
        : Optional.of(JwtVerifier.start(issuers, clock, timer));
  }
}
