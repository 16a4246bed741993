package dev.hapax.bootstrap.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * Unpacks tar archives.
 *
 * @param target the folder to unpack to
 * @param addedMode permissions that files get beside those in the archive
 */
record Archive(Path target, int addedMode) {
  private static final int PERMISSIONS = 0777;
  private static final int READABLE = 0444;

  /** Unpacks a {@code .txz} archive of programs, for all users. */
  static void unpackPrograms(URL archive, Path target) throws IOException {
    try (var raw = archive.openStream();
        var unpacked = new XZInputStream(new BufferedInputStream(raw))) {
      new Archive(target, READABLE).unpack(unpacked);
    }
  }

  /** Unpacks the archive, and leaves its stream open. */
  void unpack(InputStream archive) throws IOException {
    var tar = new TarArchiveInputStream(archive);
    for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
      var file = target.resolve(entry.getName()).normalize();
      if (!file.startsWith(target)) {
        throw new IOException(
            "the archive contains a path outside of the target: " + entry.getName());
      }
      unpack(entry, tar, file);
    }
  }

  private void unpack(TarArchiveEntry entry, InputStream content, Path file) throws IOException {
    if (entry.isDirectory()) {
      Files.createDirectories(file);
      return;
    }
    Files.createDirectories(file.getParent());
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
    } else {
      write(content, file, (entry.getMode() & PERMISSIONS) | addedMode);
    }
  }

  // synced before the folder gets its final name: a power cut must not leave empty files
  private static void write(InputStream content, Path file, int mode) throws IOException {
    var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (var channel = FileChannel.open(file, options)) {
      content.transferTo(Channels.newOutputStream(channel));
      channel.force(true);
    }
    Files.setPosixFilePermissions(file, permissions(mode));
  }

  private static Set<PosixFilePermission> permissions(int mode) {
    var letters = new StringBuilder();
    for (int bit = 8; bit >= 0; bit--) {
      letters.append((mode >> bit & 1) == 1 ? "xwr".charAt(bit % 3) : '-');
    }
    return PosixFilePermissions.fromString(letters.toString());
  }
}
