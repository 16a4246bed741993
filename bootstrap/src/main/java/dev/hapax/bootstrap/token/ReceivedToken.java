package dev.hapax.bootstrap.token;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.hapax.domain.security.JwtClaims;
import java.text.ParseException;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** A token whose signature is not verified yet. */
record ReceivedToken(SignedJWT signed, Optional<String> issuer, JwtClaims claims) {
  /** Of the year 9999. */
  private static final long LAST_SECOND = 253_402_300_799L;

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
      var payload = signed.getPayload().toJSONObject();
      var claimed = JWTClaimsSet.parse(payload);
      return Optional.of(
          new ReceivedToken(
              signed, Optional.ofNullable(claimed.getIssuer()), claims(claimed, payload)));
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

  private static JwtClaims claims(JWTClaimsSet claimed, Map<String, Object> payload) {
    return new JwtClaims(
        claimed.getAudience(), time(payload, "exp"), time(payload, "nbf"), claimed.getClaims());
  }

  /** The dates of the parser overflow: a time far ahead would be another one. */
  private static Optional<Instant> time(Map<String, Object> payload, String claim) {
    return payload.get(claim) instanceof Number seconds
        ? Optional.of(
            Instant.ofEpochSecond(Math.clamp((long) seconds.doubleValue(), 0, LAST_SECOND)))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return "ReceivedToken[***]";
  }
}
