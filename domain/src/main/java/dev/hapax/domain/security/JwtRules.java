package dev.hapax.domain.security;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.JwtDecision.Accepted;
import dev.hapax.domain.security.JwtDecision.Rejected;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which tokens of one issuer are accepted, and what they grant.
 *
 * @param audiences a token must be for one of them
 * @param principal the claim with the name of the principal
 * @param prefix begins the name of every principal, since two issuers may know the same name
 */
public record JwtRules(
    String issuer,
    Set<String> audiences,
    JwtClaimPath principal,
    String prefix,
    List<JwtClaimGrant> grants) {
  /** How far the clock of an issuer may be from ours. */
  public static final Duration SKEW = Duration.ofSeconds(60);

  /** No issuer means a later end, and some cannot be written as a time. */
  private static final Instant LATEST_END = Instant.parse("2100-01-01T00:00:00Z");

  public JwtRules {
    audiences = Set.copyOf(audiences);
    grants = List.copyOf(grants);
    if (audiences.isEmpty()) {
      throw new InvalidValueException("needs an audience");
    }
  }

  /** Decides on a token of this issuer whose signature is valid. */
  public JwtDecision decide(JwtClaims claims, Instant now) {
    if (Collections.disjoint(audiences, claims.audience())) {
      return new Rejected("it is for another audience");
    }
    if (claims.expiresAt().isEmpty()) {
      return new Rejected("it never expires: exp is missing");
    }
    if (claims.expiresAt().get().isAfter(LATEST_END)) {
      return new Rejected("it expires too late: exp must be at most " + LATEST_END);
    }
    var end = claims.expiresAt().get().plus(SKEW);
    if (!now.isBefore(end)) {
      return new Rejected("it has expired");
    }
    if (claims.notBefore().filter(start -> now.isBefore(start.minus(SKEW))).isPresent()) {
      return new Rejected("it is not valid yet");
    }
    return principal(claims)
        .<JwtDecision>map(caller -> new Accepted(new Authenticated(caller, Optional.empty(), end)))
        .orElseGet(() -> new Rejected("the claim %s has no valid name".formatted(principal)));
  }

  private Optional<Principal> principal(JwtClaims claims) {
    var names = principal.strings(claims.all());
    if (names.size() != 1 || names.getFirst().isEmpty()) {
      return Optional.empty();
    }
    var granted =
        grants.stream()
            .filter(each -> each.matches(claims.all()))
            .map(JwtClaimGrant::grant)
            .distinct()
            .toList();
    try {
      return Optional.of(new Principal(Principal.Kind.TOKEN, prefix + names.getFirst(), granted));
    } catch (InvalidValueException _) {
      return Optional.empty();
    }
  }
}
