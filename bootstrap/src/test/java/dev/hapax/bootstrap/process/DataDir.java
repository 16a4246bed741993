package dev.hapax.bootstrap.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** A data folder seen from outside: which PostgreSQL serves it, and an end to it after a test. */
public record DataDir(Path path) implements AutoCloseable {
  private static final int PID_LINE = 0;
  private static final int PORT_LINE = 3;

  /** The process that serves it; empty if there is none. */
  public Optional<ProcessHandle> postmaster() {
    return postmasterLine(PID_LINE).map(Long::parseLong).flatMap(ProcessHandle::of);
  }

  /**
   * The JDBC URL of its database for the user that owns it, which changes with each start; empty if
   * no process serves it.
   */
  public Optional<String> url() {
    return postmasterLine(PORT_LINE)
        .map(
            port ->
                "jdbc:postgresql://127.0.0.1:%s/hapax?user=hapax&password=%s"
                    .formatted(port, lines("hapax.password").getFirst()));
  }

  /** Whether its database accepts connections. */
  public boolean isServing() {
    return url().filter(DataDir::connects).isPresent();
  }

  private static boolean connects(String url) {
    try (var connection = DriverManager.getConnection(url)) {
      return connection.isValid(0);
    } catch (SQLException _) {
      return false;
    }
  }

  /** SIGKILL to the PostgreSQL, and waits for its end. */
  public void killPostmaster() {
    var postmaster = postmaster().orElseThrow();
    postmaster.destroyForcibly();
    postmaster.onExit().join();
  }

  /** SIGSTOP to each process of the PostgreSQL: its connections stay open, and nothing answers. */
  public void freeze() {
    var postmaster = postmaster().orElseThrow();
    // first, so that it starts no more processes
    Signals.send("STOP", postmaster.pid());
    postmaster.children().forEach(process -> Signals.send("STOP", process.pid()));
  }

  /** SIGCONT: it continues as if nothing had happened. */
  public void thaw() {
    var postmaster = postmaster().orElseThrow();
    // last, so that all others are still there
    postmaster.children().forEach(process -> Signals.send("CONT", process.pid()));
    Signals.send("CONT", postmaster.pid());
  }

  /** Ends the PostgreSQL that a killed hapax leaves behind. */
  @Override
  public void close() {
    if (postmaster().filter(ProcessHandle::isAlive).isPresent()) {
      killPostmaster();
    }
  }

  private Optional<String> postmasterLine(int line) {
    var lines = lines("postmaster.pid");
    return lines.size() > line ? Optional.of(lines.get(line).strip()) : Optional.empty();
  }

  /** Lines of a file; none if it is missing. */
  private List<String> lines(String file) {
    try {
      return Files.readAllLines(path.resolve("postgres", file));
    } catch (NoSuchFileException _) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
