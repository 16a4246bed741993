package dev.hapax.bootstrap.cli.doctor;

import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.database.DatabaseFinding;
import dev.hapax.bootstrap.server.StartupCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Checks of this machine. */
final class HostChecks {
  private static final long FREE_BYTES_WANTED = 1L << 30;
  private static final long MEGABYTE = 1L << 20;

  private HostChecks() {}

  static DatabaseFinding java() {
    return DatabaseFinding.ok(
        "java", Runtime.version() + " in " + System.getProperty("java.home", "an unknown place"));
  }

  static List<DatabaseFinding> certificates(ServerConfig config) {
    try {
      return StartupCertificates.read(config, Instant.now()).statuses().stream()
          .map(
              status ->
                  InstallationChecks.certificate(
                      status.use().label(), status.expires(), Instant.now()))
          .toList();
    } catch (ConfigurationException e) {
      return List.of(DatabaseFinding.fail("certificate", String.valueOf(e.getMessage())));
    }
  }

  static List<DatabaseFinding> dataDir(Path dataDir) {
    var findings = new ArrayList<DatabaseFinding>();
    var existing = existing(dataDir);
    if (Files.isDirectory(existing) && Files.isWritable(existing)) {
      findings.add(
          DatabaseFinding.ok(
              "data-dir",
              existing.equals(dataDir)
                  ? dataDir + " is writable"
                  : dataDir + " will be created by the first `hapax serve`"));
      findings.add(space(existing));
    } else {
      findings.add(
          DatabaseFinding.fail(
              "data-dir",
              existing + " is not writable for this user: set another folder with --data-dir"));
    }
    return findings;
  }

  private static DatabaseFinding space(Path folder) {
    try {
      long free = Files.getFileStore(folder).getUsableSpace();
      var text = free / MEGABYTE + " MiB free";
      return free < FREE_BYTES_WANTED
          ? DatabaseFinding.warn(
              "disk", text + ": PostgreSQL stops when the disk is full; free some space")
          : DatabaseFinding.ok("disk", text);
    } catch (IOException e) {
      return DatabaseFinding.warn("disk", "free space is unknown: " + e.getMessage());
    }
  }

  private static Path existing(Path path) {
    var folder = path;
    while (!Files.exists(folder) && folder.getParent() != null) {
      folder = folder.getParent();
    }
    return folder;
  }
}
