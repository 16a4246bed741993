package dev.hapax.dist;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files under test. */
final class Repository {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private Repository() {}

  static String text(String path) {
    try {
      return Files.readString(ROOT.resolve(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the version of this build. */
  static String version() {
    return text("dist/pom.xml").replaceFirst("(?s).*?<version>([^<]*).*", "$1");
  }
}
