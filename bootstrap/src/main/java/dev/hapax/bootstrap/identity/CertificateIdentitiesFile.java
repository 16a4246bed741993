package dev.hapax.bootstrap.identity;

import dev.hapax.application.security.CertificatePrincipals;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.LineFile;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.security.CertificateIdentity;
import dev.hapax.domain.security.ClientCertificate;
import dev.hapax.domain.security.Principal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The identities of client certificates in a file, one in each line. */
final class CertificateIdentitiesFile implements CertificatePrincipals {
  private final List<CertificateIdentity> identities;

  private CertificateIdentitiesFile(List<CertificateIdentity> identities) {
    this.identities = identities;
  }

  static CertificateIdentitiesFile read(Path path) throws ConfigurationException {
    var file = LineFile.read(path);
    var identities = new ArrayList<CertificateIdentity>();
    var problems = new ArrayList<String>();
    for (var line : file.lines()) {
      try {
        identities.add(CertificateIdentity.parse(line.text()));
      } catch (InvalidValueException e) {
        problems.add(file.problem(line.number(), e.rule()));
      }
    }
    if (file.lines().isEmpty()) {
      problems.add("the file %s has no identity".formatted(path));
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return new CertificateIdentitiesFile(List.copyOf(identities));
  }

  @Override
  public Optional<Principal> find(ClientCertificate certificate) {
    return CertificateIdentity.find(identities, certificate);
  }
}
