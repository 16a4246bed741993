package dev.hapax.domain.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.InvalidValueException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CertificateIdentityTest {
  private static final List<CertificateIdentity> IDENTITIES =
      Stream.of(
              "spiffe://prod/ns/billing/* = billing role=worker workspace=eu",
              "spiffe://prod/ns/billing/sa/admin = billing role=operator workspace=eu",
              "spiffe://prod/ns/billing/sa/shared = shared role=viewer workspace=*",
              "urn:hapax:ops = ops role=operator workspace=*",
              "dns:Worker.example.com = worker role=worker workspace=* queue=mail",
              "dns:shared.example.com = shared role=viewer workspace=*")
          .map(CertificateIdentity::parse)
          .toList();

  @Test
  @DisplayName(
      "given a URI below a path, then its principal has the grants of all lines it matches")
  void below() {
    assertThat(found(uris("spiffe://prod/ns/billing/sa/api")))
        .contains("certificate:billing [role=worker workspace=eu]");
    assertThat(found(uris("spiffe://prod/ns/billing/sa/admin")))
        .contains("certificate:billing [role=worker workspace=eu, role=operator workspace=eu]");
  }

  @Test
  @DisplayName("given a URI that only resembles a name, then it has no principal")
  void similar() {
    assertThat(
            Stream.of(
                    "spiffe://prod/ns/billing",
                    "spiffe://prod/ns/billing/",
                    "spiffe://prod/ns/billing2/sa/api",
                    "spiffe://prod.evil/ns/billing/sa/api",
                    "urn:hapax:ops2",
                    "URN:hapax:ops",
                    "dns:worker.example.com")
                .filter(uri -> found(uris(uri)).isPresent()))
        .isEmpty();
  }

  @Test
  @DisplayName("given a URI with a dot segment, then it is not below a path [security-N4]")
  void dotSegments() {
    assertThat(
            Stream.of(
                    "spiffe://prod/ns/billing/../ops/sa/console",
                    "spiffe://prod/ns/billing/./sa/api",
                    "spiffe://prod/ns/billing/..",
                    "spiffe://prod/ns/billing/%2E%2e/ops")
                .filter(uri -> found(uris(uri)).isPresent()))
        .isEmpty();
    assertThat(found(uris("spiffe://prod/ns/billing/..api"))).isPresent();
  }

  @Test
  @DisplayName("given names of two principals, then it has no identity")
  void ambiguous() {
    assertThat(found(uris("spiffe://prod/ns/billing/sa/shared"))).isEmpty();
    assertThat(found(uris("spiffe://prod/ns/billing/sa/api", "urn:hapax:ops"))).isEmpty();
    assertThat(found(dns("worker.example.com", "shared.example.com"))).isEmpty();
  }

  @Test
  @DisplayName("given no URI that matches, then DNS names count, in any case")
  void dnsNames() {
    var principal = "certificate:worker [role=worker workspace=* queue=mail]";
    assertThat(found(dns("WORKER.example.com"))).contains(principal);
    assertThat(found(names(List.of("urn:other"), List.of("worker.example.com"))))
        .contains(principal);
    assertThat(found(names(List.of("urn:hapax:ops"), List.of("worker.example.com"))))
        .contains("certificate:ops [role=operator workspace=*]");
    assertThat(found(dns("*.example.com"))).isEmpty();
    assertThat(found(dns("urn:hapax:ops"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spiffe://prod/a",
        "spiffe://prod/a = billing",
        "spiffe://prod/a = role=worker workspace=eu",
        "spiffe://prod/a = billing role=worker",
        "spiffe://prod/a = billing role=boss workspace=eu",
        "spiffe://* = billing role=worker workspace=eu",
        "spiffe:///* = billing role=worker workspace=eu",
        "spiffe://prod* = billing role=worker workspace=eu",
        "spiffe://prod/a* = billing role=worker workspace=eu",
        "spiffe://prod/*/b = billing role=worker workspace=eu",
        "spiffe://prod/*/* = billing role=worker workspace=eu",
        "* = billing role=worker workspace=eu",
        "billing = billing role=worker workspace=eu",
        "dns:*.example.com = billing role=worker workspace=eu",
        "dns: = billing role=worker workspace=eu"
      })
  @DisplayName("given a line that cannot be read, then it is refused")
  void unreadable(String line) {
    assertThatThrownBy(() -> CertificateIdentity.parse(line))
        .isInstanceOf(InvalidValueException.class);
  }

  private static Optional<String> found(ClientCertificate certificate) {
    return CertificateIdentity.find(IDENTITIES, certificate)
        .map(principal -> principal + " " + principal.grants());
  }

  private static ClientCertificate uris(String... uris) {
    return names(List.of(uris), List.of());
  }

  private static ClientCertificate dns(String... names) {
    return names(List.of(), List.of(names));
  }

  private static ClientCertificate names(List<String> uris, List<String> dns) {
    return new ClientCertificate(uris, dns, Instant.MAX);
  }
}
