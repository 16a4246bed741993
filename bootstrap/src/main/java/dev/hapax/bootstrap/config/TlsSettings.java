package dev.hapax.bootstrap.config;

import dev.hapax.grpc.tls.TlsFiles;
import io.grpc.TlsServerCredentials.ClientAuth;
import java.util.List;
import java.util.Optional;

/** Reads the settings of TLS; their files are read when the server starts. */
final class TlsSettings {
  private TlsSettings() {}

  static Optional<TlsFiles> read(SettingValues values) {
    var certificate = values.get(Settings.TLS_CERT);
    var key = values.get(Settings.TLS_KEY);
    var clients = clients(values);
    if (certificate.isPresent() && key.isPresent()) {
      return Optional.of(new TlsFiles(certificate.get(), key.get(), clients));
    }
    if (certificate.isPresent() && !values.isGiven(Settings.TLS_KEY)) {
      values.problem(Settings.TLS_CERT, "needs --tls-key, the private key of this certificate");
    }
    if (certificate.isEmpty() && !values.isGiven(Settings.TLS_CERT)) {
      List.of(Settings.TLS_KEY, Settings.TLS_CLIENT_CA, Settings.TLS_CLIENT_AUTH).stream()
          .filter(values::isGiven)
          .forEach(setting -> values.problem(setting, "needs --tls-cert"));
    }
    return Optional.empty();
  }

  /** An authority that is given is used: as with etcd, clients must then have a certificate. */
  private static Optional<TlsFiles.Clients> clients(SettingValues values) {
    var authorities = values.get(Settings.TLS_CLIENT_CA);
    var wanted = values.get(Settings.TLS_CLIENT_AUTH);
    if (authorities.isEmpty()) {
      if (wanted.isPresent() && wanted.get() != ClientAuth.NONE) {
        values.problem(
            Settings.TLS_CLIENT_AUTH,
            "needs --tls-client-ca, the authorities that issue client certificates");
      }
      return Optional.empty();
    }
    return switch (wanted.orElse(ClientAuth.REQUIRE)) {
      case REQUIRE -> Optional.of(new TlsFiles.Clients(authorities.get(), true));
      case OPTIONAL -> Optional.of(new TlsFiles.Clients(authorities.get(), false));
      case NONE -> {
        values.problem(
            Settings.TLS_CLIENT_AUTH, "contradicts --tls-client-ca: remove one of the two");
        yield Optional.empty();
      }
    };
  }
}
