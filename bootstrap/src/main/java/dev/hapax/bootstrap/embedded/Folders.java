package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** Operations on folders. */
final class Folders {
  private Folders() {}

  static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (var files = Files.walk(folder)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Makes the content of a file, or the renames in a folder, survive a power cut. */
  static void sync(Path path) throws IOException {
    try (var channel = FileChannel.open(path)) {
      channel.force(true);
    }
  }
}
