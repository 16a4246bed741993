package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.config.Setting;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.grpc.tls.CertificateFiles;
import dev.hapax.grpc.tls.CertificateStatus;
import dev.hapax.grpc.tls.InvalidCertificateException;
import dev.hapax.grpc.tls.ServerTls;
import dev.hapax.grpc.tls.TlsFiles;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates of a server, read before the database is opened.
 *
 * @param files to watch
 */
public record StartupCertificates(Optional<ServerTls> tls, List<CertificateFiles<?>> files) {
  private static final Logger LOG = LoggerFactory.getLogger(StartupCertificates.class);

  public StartupCertificates {
    files = List.copyOf(files);
  }

  /** Reads the files of the configuration. */
  public static StartupCertificates read(ServerConfig config, Instant now)
      throws ConfigurationException {
    var tls =
        config.tls().isPresent()
            ? Optional.of(open(config.tls().get(), now))
            : Optional.<ServerTls>empty();
    var files = new ArrayList<CertificateFiles<?>>();
    tls.map(ServerTls::files).ifPresent(files::addAll);
    ofDatabase(config.database())
        .flatMap(certificate -> ofDatabase(certificate, now))
        .ifPresent(files::add);
    return new StartupCertificates(tls, files);
  }

  /** Returns the state of all files. */
  public List<CertificateStatus> statuses() {
    return files.stream().<CertificateStatus>map(CertificateFiles::status).toList();
  }

  private static ServerTls open(TlsFiles tls, Instant now) throws ConfigurationException {
    try {
      return ServerTls.open(tls, now);
    } catch (InvalidCertificateException e) {
      throw new ConfigurationException(
          List.of(setting(tls, e.file()).flag() + "=" + e.file() + ": " + e.problem()));
    }
  }

  private static Setting<?> setting(TlsFiles tls, Path file) {
    if (file.equals(tls.certificate())) {
      return Settings.TLS_CERT;
    }
    return file.equals(tls.key()) ? Settings.TLS_KEY : Settings.TLS_CLIENT_CA;
  }

  private static Optional<Path> ofDatabase(DatabaseConfig database) {
    return switch (database) {
      case DatabaseConfig.Embedded _ -> Optional.empty();
      case DatabaseConfig.External external ->
          external.target().url().parameter("sslcert").map(Path::of);
    };
  }

  /** The driver reads this file by itself and reports its errors; this is for the metric only. */
  private static Optional<CertificateFiles<?>> ofDatabase(Path certificate, Instant now) {
    try {
      return Optional.of(CertificateFiles.ofDatabase(certificate, now));
    } catch (InvalidCertificateException e) {
      LOG.warn("the expiry of the certificate for the database is unknown: {}", e.getMessage());
      return Optional.empty();
    }
  }
}
