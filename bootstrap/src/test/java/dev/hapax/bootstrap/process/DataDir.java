package dev.hapax.bootstrap.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A data folder seen from outside: which PostgreSQL serves it, and an end to it after a test. */
public record DataDir(Path path) implements AutoCloseable {

  /** The process that serves it; empty if there is none. */
  public Optional<ProcessHandle> postmaster() throws IOException {
    var file = path.resolve("postgres/postmaster.pid");
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    List<String> lines = Files.readAllLines(file);
    return lines.isEmpty() ? Optional.empty() : ProcessHandle.of(Long.parseLong(lines.getFirst()));
  }

  /** SIGKILL to the PostgreSQL, and waits for its end. */
  public void killPostmaster() throws IOException {
    var postmaster = postmaster().orElseThrow();
    postmaster.destroyForcibly();
    postmaster.onExit().join();
  }

  /** Ends the PostgreSQL that a killed hapax leaves behind. */
  @Override
  public void close() throws IOException {
    if (postmaster().filter(ProcessHandle::isAlive).isPresent()) {
      killPostmaster();
    }
  }
}
