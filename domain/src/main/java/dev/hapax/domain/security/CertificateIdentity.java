package dev.hapax.domain.security;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Text;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** A principal for the client certificates with a name, and one of its grants. */
public record CertificateIdentity(CertificateName name, String principal, RoleGrant grant) {
  public CertificateIdentity {
    Text.requiredName(principal);
  }

  /** Parses {@code NAME = PRINCIPAL GRANT}. */
  public static CertificateIdentity parse(String text) {
    // a URI may have = without spaces around it
    var parts = text.strip().split("\\s+=\\s+", 2);
    var words = parts.length == 2 ? parts[1].split("\\s+", 2) : new String[0];
    if (words.length != 2 || words[0].indexOf('=') >= 0) {
      throw new InvalidValueException(
          "must be like 'spiffe://prod/ns/billing/* = billing role=worker workspace=eu'");
    }
    return new CertificateIdentity(
        CertificateName.parse(parts[0]), words[0], RoleGrant.parse(words[1]));
  }

  /**
   * Returns the one principal of a certificate; empty = none, or several. DNS names count only if
   * no URI matches.
   */
  public static Optional<Principal> find(
      Collection<CertificateIdentity> all, ClientCertificate certificate) {
    var matching = all.stream().filter(each -> each.name().isOf(certificate)).toList();
    var byUri = matching.stream().filter(Predicate.not(CertificateIdentity::isDns)).toList();
    return single(byUri.isEmpty() ? matching : byUri);
  }

  private boolean isDns() {
    return switch (name) {
      case CertificateName.Dns _ -> true;
      case CertificateName.Uri _, CertificateName.UrisBelow _ -> false;
    };
  }

  private static Optional<Principal> single(List<CertificateIdentity> matching) {
    if (matching.stream().map(CertificateIdentity::principal).distinct().count() != 1) {
      return Optional.empty();
    }
    return Optional.of(
        new Principal(
            Principal.Kind.CERTIFICATE,
            matching.getFirst().principal(),
            matching.stream().map(CertificateIdentity::grant).distinct().toList()));
  }
}
