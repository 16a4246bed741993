package dev.hapax.postgres.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A text that a test compares with what is sent. */
record GoldenFile(Path path) {
  private static final Path ROOT = Path.of("src", "test", "resources", "sql");

  static GoldenFile named(String name) {
    return new GoldenFile(ROOT.resolve(name));
  }

  /** Compares with the file, or writes it with {@code -Dsql=write}. */
  void verify(String text) {
    try {
      if ("write".equals(System.getProperty("sql"))) {
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
      } else {
        assertThat(text)
            .as("%s is rewritten by ./dev sql write", path)
            .isEqualTo(Files.readString(path));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
