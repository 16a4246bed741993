package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** The state that an earlier run left in the folder of a cluster. */
sealed interface StaleServer {

  /** The earlier run stopped cleanly. */
  record Nothing() implements StaleServer {}

  /** PostgreSQL was killed; it recovers at the next start and needs its file for that. */
  record Killed(long pid) implements StaleServer {}

  /** A {@code postmaster.pid} without its process. */
  record StaleFile(String reason) implements StaleServer {}

  /** A PostgreSQL that survived the hapax that started it. */
  record Running(ProcessHandle postmaster) implements StaleServer {}

  /** A PostgreSQL whose folder cannot be determined. */
  record Unclear(ProcessHandle postmaster) implements StaleServer {}

  static StaleServer in(Path cluster) throws IOException {
    if (!Files.exists(PostmasterFile.in(cluster))) {
      return new Nothing();
    }
    var file = PostmasterFile.read(cluster);
    if (file.isEmpty()) {
      return new StaleFile("incomplete");
    }
    long pid = file.get().pid();
    return ProcessHandle.of(pid)
        .map(process -> of(process, cluster))
        .orElseGet(() -> new Killed(pid));
  }

  private static StaleServer of(ProcessHandle process, Path cluster) {
    if (!Processes.isRunning(process)) {
      return new StaleFile("process " + process.pid() + " is a zombie");
    }
    var program = process.info().command().map(name -> Path.of(name).getFileName().toString());
    if (program.isPresent() && !program.get().startsWith("postgres")) {
      return new StaleFile("process " + process.pid() + " is " + program.get() + " now");
    }
    return serves(process, cluster)
        .<StaleServer>map(
            yes ->
                yes
                    ? new Running(process)
                    : new StaleFile("process " + process.pid() + " serves another folder now"))
        .orElseGet(() -> new Unclear(process));
  }

  // the working directory is the data folder; if it is not readable, the command line contains it
  private static Optional<Boolean> serves(ProcessHandle process, Path cluster) {
    try {
      return Optional.of(Files.isSameFile(Processes.procfs(process).resolve("cwd"), cluster));
    } catch (IOException _) {
      return process
          .info()
          .arguments()
          .map(arguments -> Arrays.asList(arguments).contains(cluster.toString()));
    }
  }
}
