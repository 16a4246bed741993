package dev.hapax.domain.security;

import java.time.Instant;
import java.util.List;

/**
 * The names of a verified client certificate: its subject alternative names. The common name is not
 * used, since certificate authorities do not verify it.
 */
public record ClientCertificate(List<String> uris, List<String> dnsNames, Instant expiresAt) {
  public ClientCertificate {
    uris = List.copyOf(uris);
    dnsNames = List.copyOf(dnsNames);
  }
}
