package dev.hapax.bootstrap.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.AsymmetricJWK;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSet;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;

/** The public keys of an issuer that have an id. */
record VerificationKeys(List<Entry> entries) {
  static final VerificationKeys NONE = new VerificationKeys(List.of());

  /** A key with what it may be used for. */
  record Entry(JWK described, PublicKey key) {}

  VerificationKeys {
    entries = List.copyOf(entries);
  }

  /** Takes the usable keys of a set; shared secrets and broken keys are left out. */
  static VerificationKeys of(JWKSet set) {
    var entries = new ArrayList<Entry>();
    for (var described : set.getKeys()) {
      if (described.getKeyID() != null && described instanceof AsymmetricJWK asymmetric) {
        try {
          entries.add(new Entry(described, asymmetric.toPublicKey()));
        } catch (JOSEException _) {
          // a key of a kind that this JVM lacks
        }
      }
    }
    return new VerificationKeys(entries);
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** Returns the keys with the id in a header that may verify its algorithm. */
  List<PublicKey> matching(JWSHeader header) {
    var matcher = JWKMatcher.forJWSHeader(header);
    return entries.stream()
        .filter(entry -> matcher.matches(entry.described()))
        .map(Entry::key)
        .toList();
  }
}
