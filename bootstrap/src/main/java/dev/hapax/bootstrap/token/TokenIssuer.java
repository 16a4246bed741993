package dev.hapax.bootstrap.token;

import com.nimbusds.jose.JWSAlgorithm;
import dev.hapax.domain.security.JwtRules;
import java.util.Set;

/**
 * A trusted issuer of tokens.
 *
 * @param algorithms of its signatures; never none, and none with a shared secret
 * @param types what {@code typ} may be, in lower case; empty text = it may be missing
 */
public record TokenIssuer(
    JwtRules rules, KeyLocation keys, Set<JWSAlgorithm> algorithms, Set<String> types) {
  public TokenIssuer {
    algorithms = Set.copyOf(algorithms);
    types = Set.copyOf(types);
    if (!JWSAlgorithm.Family.SIGNATURE.containsAll(algorithms)) {
      throw new IllegalArgumentException("algorithms need a public key");
    }
  }

  String name() {
    return rules.issuer();
  }
}
