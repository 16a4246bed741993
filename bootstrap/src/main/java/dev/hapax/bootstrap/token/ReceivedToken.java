package dev.hapax.bootstrap.token;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.hapax.domain.security.JwtClaims;
import java.text.ParseException;
import java.util.Date;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** A token whose signature is not verified yet. */
record ReceivedToken(SignedJWT signed, Optional<String> issuer, JwtClaims claims) {
  private static final String MEDIA_TYPE = "application/";

  /** The parser ignores other characters, so that one token would have many texts. */
  private static final Pattern COMPACT = Pattern.compile("[\\w-]++\\.[\\w-]++\\.[\\w-]++");

  /** Parses a token; empty = it is none, one that is not signed, or its claims have no values. */
  static Optional<ReceivedToken> parse(String text) {
    if (!COMPACT.matcher(text).matches()) {
      return Optional.empty();
    }
    try {
      var signed = SignedJWT.parse(text);
      var claimed = signed.getJWTClaimsSet();
      return Optional.of(
          new ReceivedToken(signed, Optional.ofNullable(claimed.getIssuer()), claims(claimed)));
    } catch (ParseException | RuntimeException _) {
      // the message repeats parts of the token
      return Optional.empty();
    }
  }

  JWSHeader header() {
    return signed.getHeader();
  }

  /** Returns {@code typ} in lower case; empty text if it is missing. */
  String type() {
    var type = header().getType();
    var text = type == null ? "" : type.getType().toLowerCase(Locale.ROOT);
    return text.startsWith(MEDIA_TYPE) ? text.substring(MEDIA_TYPE.length()) : text;
  }

  private static JwtClaims claims(JWTClaimsSet claimed) {
    return new JwtClaims(
        claimed.getAudience(),
        Optional.ofNullable(claimed.getExpirationTime()).map(Date::toInstant),
        Optional.ofNullable(claimed.getNotBeforeTime()).map(Date::toInstant),
        claimed.getClaims());
  }

  @Override
  public String toString() {
    return "ReceivedToken[***]";
  }
}
