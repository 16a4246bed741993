package dev.hapax.bootstrap.embedded;

import dev.hapax.bootstrap.config.DatabaseConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folder of unpacked programs, shared by all data folders of a user. */
final class BinariesCache {
  private BinariesCache() {}

  static Path folder(Path dataDir) {
    var user = userCache().resolve("hapax");
    if (DatabaseConfig.Embedded.problem(user).isPresent()) {
      return beside(dataDir);
    }
    try {
      return Files.createDirectories(user);
    } catch (IOException _) {
      // a service account may have no home
      return beside(dataDir);
    }
  }

  static Path beside(Path dataDir) {
    return dataDir.resolve("programs");
  }

  private static Path userCache() {
    var chosen = System.getenv("XDG_CACHE_HOME");
    return chosen != null && !chosen.isBlank()
        ? Path.of(chosen)
        : Path.of(System.getProperty("user.home", ""), ".cache");
  }
}
