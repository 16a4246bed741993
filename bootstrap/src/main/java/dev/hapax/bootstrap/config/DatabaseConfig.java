package dev.hapax.bootstrap.config;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/** The PostgreSQL of a server. */
public sealed interface DatabaseConfig {

  /** The built-in PostgreSQL, with its data folder. */
  record Embedded(Path dataDir) implements DatabaseConfig {
    /**
     * Why PostgreSQL cannot use a folder, if so: its programs hand the path to a shell, between
     * double quotes.
     */
    public static Optional<String> problem(Path dataDir) {
      var path = real(dataDir.toAbsolutePath().normalize()).toString();
      return Stream.of("$", "\"", "`", "\\\\").anyMatch(path::contains)
          ? Optional.of(
              "the path %s must not have $, \", ` or two \\ in a row, which PostgreSQL hands to a shell"
                  .formatted(path))
          : Optional.empty();
    }

    /** The path without symbolic links; its last folders may be missing. */
    private static Path real(Path path) {
      try {
        return path.toRealPath();
      } catch (IOException _) {
        var parent = path.getParent();
        return parent == null ? path : real(parent).resolve(path.getFileName());
      }
    }
  }

  /**
   * A PostgreSQL of the operator.
   *
   * @param maxWait how long to wait at startup until it answers
   * @param allowUnsafe whether to accept settings that can lose acknowledged data
   */
  record External(JdbcTarget target, Duration maxWait, boolean allowUnsafe)
      implements DatabaseConfig {}
}
