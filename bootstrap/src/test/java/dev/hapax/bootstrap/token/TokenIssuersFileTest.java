package dev.hapax.bootstrap.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import dev.hapax.bootstrap.config.ConfigurationException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenIssuersFileTest {
  private static final String ISSUER = "issuer = https://login.example.com/prod";
  private static final String AUDIENCE = "audience = hapax";

  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName(
      "given the shortest issuer, then it has discovery and the usual algorithms and types")
  void defaults() throws Exception {
    var issuers = read("# our issuer", "", ISSUER, "  " + AUDIENCE);

    assertThat(issuers).hasSize(1);
    var issuer = issuers.getFirst();
    assertThat(issuer.name()).isEqualTo("https://login.example.com/prod");
    assertThat(issuer.keys())
        .isEqualTo(
            new KeyLocation.Discovery(
                URI.create("https://login.example.com/prod/.well-known/openid-configuration")));
    assertThat(issuer.algorithms())
        .containsExactlyInAnyOrder(JWSAlgorithm.RS256, JWSAlgorithm.ES256, JWSAlgorithm.PS256);
    assertThat(issuer.types()).containsExactlyInAnyOrder("at+jwt", "jwt");
    assertThat(issuer.rules().audiences()).containsExactly("hapax");
    assertThat(issuer.rules().principal()).hasToString("sub");
    assertThat(issuer.rules().grants()).isEmpty();
  }

  @Test
  @DisplayName("given two issuers with every key, then both are read")
  void everything() throws Exception {
    var issuers =
        read(
            "issuer = accounts",
            "audience = hapax",
            "audience = hapax-eu",
            "jwks = http://127.0.0.1:8080/keys?v=1",
            "algorithms = RS512, ES384",
            "types = JWT, none",
            "principal = email",
            "principal-prefix = a/",
            "claim realm.roles = hapax ops -> role=operator workspace=eu,us",
            "claim https://app.example/roles = a=b -> role=viewer workspace=*",
            ISSUER,
            AUDIENCE,
            "principal-prefix = b/");

    assertThat(issuers).hasSize(2);
    var first = issuers.getFirst();
    assertThat(first.keys())
        .isEqualTo(new KeyLocation.KeySet(URI.create("http://127.0.0.1:8080/keys?v=1")));
    assertThat(first.algorithms())
        .containsExactlyInAnyOrder(JWSAlgorithm.RS512, JWSAlgorithm.ES384);
    assertThat(first.types()).containsExactlyInAnyOrder("jwt", "");
    assertThat(first.rules().audiences()).containsExactlyInAnyOrder("hapax", "hapax-eu");
    assertThat(first.rules().principal()).hasToString("email");
    assertThat(first.rules().prefix()).isEqualTo("a/");
    assertThat(first.rules().grants())
        .extracting(each -> each.claim() + ": " + each.value() + " gives " + each.grant())
        .containsExactly(
            "realm.roles: hapax ops gives role=operator workspace=eu,us",
            "https://app.example/roles: a=b gives role=viewer workspace=*");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "audiences = hapax        | unknown key 'audiences'",
        "audience                 | audience needs a value",
        "claim groups             | claim groups needs a value",
        "claim groups = ops       | claim groups must be like",
        "claim groups = ops -> role=boss workspace=* | role must be one of viewer,",
        "claim a b = ops -> role=viewer workspace=* | must be the name of a claim (was 'a b')",
        "algorithms = RS256, none | must be some of ES256,",
        "algorithms = HS256       | (was 'HS256')",
        "algorithms = EdDSA       | (was 'EdDSA')",
        "jwks = http://login.example.com/keys | jwks must be an https URL",
        "jwks = http://127.0.0.1.example.com/keys | jwks must be an https URL",
        "jwks = ftp://login.example.com/keys | jwks must be an https URL",
        "jwks = https://me@login.example.com/keys | without user and fragment",
        "jwks = /keys             | jwks must be a URL with a host",
        "jwks = a b               | jwks must be a URL",
        "principal = a b          | principal must be the name of a claim",
        "issuer = https://login.example.com/prod | is listed twice",
        "issuer = https://login.example.com/test | need a principal-prefix each",
      })
  @DisplayName("given a line that cannot be read, then the start is refused with its number")
  void unreadable(String line, String problem) {
    assertThatThrownBy(() -> read(ISSUER, AUDIENCE, "# comment", line, AUDIENCE))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(folder.resolve("issuers") + ":4: ")
        .hasMessageContaining(problem);
  }

  @Test
  @DisplayName("given several problems, then all of them are reported")
  void allProblems() {
    assertThatThrownBy(() -> read(AUDIENCE, "issuer = accounts", "principal = a", "principal = b"))
        .hasMessageContaining("4 problems")
        .hasMessageContaining(":1: must follow a line 'issuer = NAME'")
        .hasMessageContaining(":2: issuer must be a URL with a host")
        .hasMessageContaining("or the issuer needs a line 'jwks = URL'")
        .hasMessageContaining(":2: issuer 'accounts' needs a line 'audience = NAME'")
        .hasMessageContaining(":4: principal is listed twice");
    assertThatThrownBy(() -> read("# nothing")).hasMessageContaining("has no issuer");
    assertThatThrownBy(() -> TokenIssuersFile.read(folder.resolve("missing")))
        .hasMessageContaining("missing does not exist");
  }

  @Test
  @DisplayName("given issuers whose principals could have one name, then the start is refused")
  void prefixes() {
    var second = "issuer = https://login.example.com/test";
    for (var prefixes : List.of(List.of("a", "ab"), List.of("ab", "a"), List.of("a", "a"))) {
      assertThatThrownBy(
              () ->
                  read(
                      ISSUER,
                      AUDIENCE,
                      "principal-prefix = " + prefixes.getFirst(),
                      second,
                      AUDIENCE,
                      "principal-prefix = " + prefixes.getLast()))
          .hasMessageContaining(":4: several issuers need a principal-prefix each");
    }
  }

  private List<TokenIssuer> read(String... lines) throws ConfigurationException, IOException {
    var file = folder.resolve("issuers");
    Files.write(file, Arrays.asList(lines));
    return TokenIssuersFile.read(file);
  }
}
