package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;

/** The log file of PostgreSQL. */
record ServerLog(Path file) {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");
  private static final long ROTATE_BYTES = 10_000_000;

  /** Returns the current length, from which {@link #since} reads the log of the next start. */
  long mark(OsUser writer) throws IOException {
    if (Files.exists(file) && Files.size(file) > ROTATE_BYTES) {
      Files.move(
          file,
          file.resolveSibling(file.getFileName() + ".1"),
          StandardCopyOption.REPLACE_EXISTING);
    }
    if (Files.exists(file)) {
      Files.setPosixFilePermissions(file, OWNER_ONLY);
    } else {
      // the details of errors may show keys
      Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
      writer.own(file);
    }
    return Files.size(file);
  }

  String since(long mark) throws IOException {
    var all = Files.readAllBytes(file);
    int from = (int) Math.min(mark, all.length);
    return new String(Arrays.copyOfRange(all, from, all.length), StandardCharsets.UTF_8).strip();
  }
}
