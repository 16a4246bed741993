package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The process id and port in the {@code postmaster.pid} of a running PostgreSQL. */
record PostmasterFile(long pid, int port) {
  private static final String NAME = "postmaster.pid";
  private static final int PID_LINE = 0;
  private static final int PORT_LINE = 3;

  static Path in(Path cluster) {
    return cluster.resolve(NAME);
  }

  /** Reads the file; empty if it is missing or incomplete. */
  static Optional<PostmasterFile> read(Path cluster) throws IOException {
    List<String> lines;
    try {
      lines = Files.readAllLines(in(cluster));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
    if (lines.size() <= PORT_LINE) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new PostmasterFile(
              Long.parseLong(lines.get(PID_LINE).strip()),
              Integer.parseInt(lines.get(PORT_LINE).strip())));
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }
}
