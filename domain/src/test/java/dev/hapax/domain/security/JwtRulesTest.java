package dev.hapax.domain.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.security.JwtDecision.Accepted;
import dev.hapax.domain.security.JwtDecision.Rejected;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("A5")
class JwtRulesTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final JwtRules RULES =
      new JwtRules(
          "prod",
          Set.of("hapax", "hapax-eu"),
          new JwtClaimPath("sub"),
          "prod/",
          List.of(
              claim("groups", "ops -> role=operator workspace=*"),
              claim("realm_access.roles", "hapax worker -> role=worker workspace=eu"),
              claim("app.example/roles", "a -> b -> role=viewer workspace=us"),
              claim("tier", "ops -> role=operator workspace=*")));

  private static JwtClaimGrant claim(String path, String text) {
    return JwtClaimGrant.parse(new JwtClaimPath(path), text);
  }

  @Test
  @DisplayName("given a valid token, then its subject is the principal, until 60 s after exp")
  void accepted() {
    var accepted = (Accepted) RULES.decide(expiring(NOW.plusSeconds(10)), NOW);

    assertThat(accepted.caller().principal())
        .isEqualTo(new Principal(Principal.Kind.TOKEN, "prod/alice", List.of()));
    assertThat(accepted.caller().expiresAt()).isEqualTo(NOW.plusSeconds(70));
  }

  @Test
  @DisplayName("given clocks that differ by a minute, then exp and nbf are tolerated so far")
  void skew() {
    assertThat(RULES.decide(expiring(NOW.minusSeconds(59)), NOW)).isInstanceOf(Accepted.class);
    assertThat(RULES.decide(expiring(NOW.minusSeconds(60)), NOW))
        .isEqualTo(new Rejected("it has expired"));
    assertThat(RULES.decide(beginning(NOW.plusSeconds(60)), NOW)).isInstanceOf(Accepted.class);
    assertThat(RULES.decide(beginning(NOW.plusSeconds(61)), NOW))
        .isEqualTo(new Rejected("it is not valid yet"));
  }

  @Test
  @DisplayName("given no exp, or no audience of ours, then the token is rejected")
  void mandatory() {
    var all = Map.of("sub", "alice");
    var end = Optional.of(NOW.plusSeconds(60));
    assertThat(RULES.decide(claims(List.of("hapax"), Optional.empty(), all), NOW))
        .isEqualTo(new Rejected("it never expires: exp is missing"));
    for (var audience : List.of(List.<String>of(), List.of("other"), List.of("HAPAX"))) {
      assertThat(RULES.decide(claims(audience, end, all), NOW))
          .isEqualTo(new Rejected("it is for another audience"));
    }
    assertThat(RULES.decide(claims(List.of("other", "hapax-eu"), end, all), NOW))
        .isInstanceOf(Accepted.class);
  }

  @Test
  @DisplayName("given an exp beyond 2100, then the token is rejected [security-N1]")
  void farFuture() {
    var latest = Instant.parse("2100-01-01T00:00:00Z");
    assertThat(RULES.decide(expiring(latest), NOW)).isInstanceOf(Accepted.class);
    for (var end :
        List.of(latest.plusSeconds(1), Instant.parse("9999-12-31T23:59:59Z"), Instant.MAX)) {
      assertThat(RULES.decide(expiring(end), NOW))
          .isEqualTo(new Rejected("it expires too late: exp must be at most 2100-01-01T00:00:00Z"));
    }
  }

  @Test
  @DisplayName("given a subject that is no name, then the token is rejected")
  void subjects() {
    for (var subject : List.<Object>of("", "a\u0000b", "x".repeat(251), 7, List.of("a", "b"))) {
      assertThat(RULES.decide(valid(Map.of("sub", subject)), NOW))
          .as("%s", subject)
          .isEqualTo(new Rejected("the claim sub has no valid name"));
    }
  }

  @Test
  @DisplayName("given claims, then exact values grant, of a string, an array or an object")
  void grants() {
    assertThat(granted(Map.of("groups", "ops"))).containsExactly("role=operator workspace=*");
    assertThat(granted(Map.of("groups", List.of("dev", "ops", 7), "tier", "ops")))
        .containsExactly("role=operator workspace=*");
    assertThat(granted(Map.of("realm_access", Map.of("roles", List.of("hapax worker")))))
        .containsExactly("role=worker workspace=eu");
    assertThat(granted(Map.of("app.example/roles", "a -> b")))
        .containsExactly("role=viewer workspace=us");
  }

  @Test
  @DisplayName("given claims without a value that grants, then there is no grant")
  void grantsNothing() {
    for (var claims :
        List.of(
            Map.of("groups", "Ops"),
            Map.of("groups", "ops "),
            Map.of("groups", "ops dev"),
            Map.of("groups", Map.of("ops", true)),
            Map.of("groups", List.of(List.of("ops"))),
            Map.of("realm_access", "hapax worker"),
            Map.of("realm_access", Map.of("roles", true)))) {
      assertThat(granted(claims)).as("%s", claims).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ops",
        "-> role=viewer workspace=*",
        "ops -> viewer",
        "ops -> role=viewer",
        "ops -> role=root workspace=*",
        "ops => role=viewer workspace=*"
      })
  @DisplayName("given a grant that cannot be read, then it is refused")
  void unreadable(String text) {
    assertThatThrownBy(() -> claim("groups", text)).isInstanceOf(InvalidValueException.class);
  }

  private static List<String> granted(Map<String, ?> claims) {
    var all = new HashMap<String, Object>(claims);
    all.put("sub", "alice");
    var accepted = (Accepted) RULES.decide(valid(all), NOW);
    return accepted.caller().principal().grants().stream().map(RoleGrant::toString).toList();
  }

  private static JwtClaims valid(Map<String, ?> all) {
    return claims(List.of("hapax"), Optional.of(NOW.plusSeconds(60)), all);
  }

  private static JwtClaims expiring(Instant end) {
    return claims(List.of("hapax"), Optional.of(end), Map.of("sub", "alice"));
  }

  private static JwtClaims beginning(Instant start) {
    return new JwtClaims(
        List.of("hapax"),
        Optional.of(NOW.plusSeconds(600)),
        Optional.of(start),
        Map.of("sub", "alice"));
  }

  private static JwtClaims claims(
      List<String> audience, Optional<Instant> end, Map<String, ?> all) {
    return new JwtClaims(audience, end, Optional.empty(), all);
  }
}
