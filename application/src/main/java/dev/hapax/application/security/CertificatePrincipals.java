package dev.hapax.application.security;

import dev.hapax.domain.security.ClientCertificate;
import dev.hapax.domain.security.Principal;
import java.util.Optional;

/** Maps client certificates to principals. */
public interface CertificatePrincipals {
  /**
   * Returns the one principal that the names of the certificate map to; empty = none, or several.
   */
  Optional<Principal> find(ClientCertificate certificate);
}
