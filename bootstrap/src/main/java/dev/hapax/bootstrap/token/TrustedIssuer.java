package dev.hapax.bootstrap.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.crypto.factories.DefaultJWSVerifierFactory;
import com.nimbusds.jose.proc.JWSVerifierFactory;
import dev.hapax.domain.security.JwtDecision;
import dev.hapax.domain.security.JwtDecision.Accepted;
import dev.hapax.domain.security.JwtDecision.Rejected;
import java.security.PublicKey;
import java.time.Instant;
import java.util.List;

/** Checks tokens of one issuer with the keys in memory. */
record TrustedIssuer(TokenIssuer issuer, IssuerKeys keys) {
  private static final JWSVerifierFactory VERIFIERS = new DefaultJWSVerifierFactory();

  TokenCheck check(ReceivedToken token, Instant now) {
    var header = token.header();
    if (!issuer.types().contains(token.type())) {
      return rejected("its typ is not accepted");
    }
    if (!issuer.algorithms().contains(header.getAlgorithm())) {
      return rejected("its algorithm is not accepted");
    }
    if (header.getKeyID() == null) {
      return rejected("it names no key: kid is missing");
    }
    // the signature last: it is the most expensive, and a key is only asked for if it matters
    return switch (issuer.rules().decide(token.claims(), now)) {
      case Rejected rejected -> new TokenCheck.Decided(rejected);
      case Accepted accepted -> verify(token, keys.find(header), accepted);
    };
  }

  private static TokenCheck verify(
      ReceivedToken token, List<PublicKey> candidates, JwtDecision accepted) {
    if (candidates.isEmpty()) {
      return new TokenCheck.UnknownKey();
    }
    return candidates.stream().anyMatch(key -> isSignedBy(token, key))
        ? new TokenCheck.Decided(accepted)
        : new TokenCheck.WrongSignature();
  }

  private static boolean isSignedBy(ReceivedToken token, PublicKey key) {
    try {
      return token.signed().verify(VERIFIERS.createJWSVerifier(token.header(), key));
    } catch (JOSEException | RuntimeException _) {
      return false;
    }
  }

  private static TokenCheck rejected(String why) {
    return new TokenCheck.Decided(new Rejected(why));
  }
}
