package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/** The entries of a backup that is being written. */
record BackupEntries(TarArchiveOutputStream tar) {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int OWNER_ONLY = 0600;
  private static final int OWNER_ONLY_FOLDER = 0700;

  void addFolder(String name) throws IOException {
    var entry = new TarArchiveEntry(name + "/");
    entry.setMode(OWNER_ONLY_FOLDER);
    tar.putArchiveEntry(entry);
    tar.closeArchiveEntry();
  }

  void addText(String name, String text) throws IOException {
    add(name, text.getBytes(StandardCharsets.UTF_8));
  }

  void add(String name, byte[] content) throws IOException {
    begin(name, content.length);
    tar.write(content);
    tar.closeArchiveEntry();
  }

  /**
   * Adds a file that PostgreSQL may change, extend, truncate or remove meanwhile. What is missing
   * or torn is in the write-ahead log.
   */
  void add(String name, Path file) throws IOException {
    try (var content = Files.newInputStream(file)) {
      long size = Files.size(file);
      begin(name, size);
      pad(size - copy(content, size));
      tar.closeArchiveEntry();
    } catch (NoSuchFileException _) {
      // it was removed
    }
  }

  private void begin(String name, long size) throws IOException {
    var entry = new TarArchiveEntry(name);
    entry.setMode(OWNER_ONLY);
    entry.setSize(size);
    tar.putArchiveEntry(entry);
  }

  /** Copies at most this many bytes; returns how many there were. */
  private long copy(InputStream content, long size) throws IOException {
    var buffer = new byte[BUFFER_BYTES];
    long copied = 0;
    while (copied < size) {
      int read = content.read(buffer, 0, (int) Math.min(buffer.length, size - copied));
      if (read < 0) {
        break;
      }
      tar.write(buffer, 0, read);
      copied += read;
    }
    return copied;
  }

  private void pad(long bytes) throws IOException {
    var zeros = new byte[BUFFER_BYTES];
    for (long left = bytes; left > 0; left -= zeros.length) {
      tar.write(zeros, 0, (int) Math.min(zeros.length, left));
    }
  }
}
