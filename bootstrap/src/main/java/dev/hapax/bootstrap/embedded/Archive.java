package dev.hapax.bootstrap.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.tukaani.xz.XZInputStream;

/**
 * Unpacks tar archives.
 *
 * @param target the folder to unpack to
 * @param addedMode permissions that files get beside those in the archive
 * @param allowed the entries that it may have
 */
record Archive(Path target, int addedMode, Entries allowed) {
  private static final int PERMISSIONS = 0777;
  private static final int READABLE = 0444;

  /** The kinds of entries that an archive may have. */
  enum Entries {
    /** The programs of this release have links among them. */
    LINKS_TOO,
    FILES_AND_FOLDERS;

    private static final Path UP = Path.of("..");

    /** Reads an archive, and leaves its stream open. */
    void check(InputStream archive) throws IOException {
      var tar = new TarArchiveInputStream(archive);
      for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        check(entry);
      }
    }

    private void check(TarArchiveEntry entry) throws IOException {
      if (leadsElsewhere(entry.getName())) {
        throw new IOException("it has an entry whose name leads elsewhere: " + entry.getName());
      }
      if (!entry.isDirectory()
          && !isFile(entry)
          && !(this == LINKS_TOO && entry.isSymbolicLink())) {
        throw new IOException(
            "it has an entry that is neither file nor folder: " + entry.getName());
      }
    }

    private static boolean leadsElsewhere(String name) {
      try {
        var path = Path.of(name);
        return path.isAbsolute()
            || StreamSupport.stream(path.spliterator(), false).anyMatch(UP::equals);
      } catch (InvalidPathException _) {
        return true;
      }
    }

    private static boolean isFile(TarArchiveEntry entry) {
      return entry.getLinkFlag() == TarConstants.LF_NORMAL
          || entry.getLinkFlag() == TarConstants.LF_OLDNORM;
    }
  }

  /** Unpacks a {@code .txz} archive of programs, for all users. */
  static void unpackPrograms(URL archive, Path target) throws IOException {
    try (var raw = archive.openStream();
        var unpacked = new XZInputStream(new BufferedInputStream(raw))) {
      new Archive(target, READABLE, Entries.LINKS_TOO).unpack(unpacked);
    }
  }

  /** Unpacks the archive, and leaves its stream open. */
  void unpack(InputStream archive) throws IOException {
    var tar = new TarArchiveInputStream(archive);
    for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
      allowed.check(entry);
      unpack(entry, tar, target.resolve(entry.getName()));
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
