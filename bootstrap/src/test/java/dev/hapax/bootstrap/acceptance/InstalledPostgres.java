package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The newest PostgreSQL of this machine, whose programs the built-in one lacks: {@code
 * pg_basebackup} and {@code pg_dump}. Its clusters are folders of one folder.
 */
record InstalledPostgres(Path programs, Path folder) {
  private static final Path INSTALLED = Path.of("/usr/lib/postgresql");

  /** Skips the test where none is installed. */
  static InstalledPostgres in(Path folder) throws IOException {
    var found = newest();
    Requirement.POSTGRESQL.check(
        found.isPresent(),
        "no PostgreSQL is in %s, and the tests of restores need one (Debian: apt-get install postgresql)"
            .formatted(INSTALLED));
    return new InstalledPostgres(found.orElseThrow(), folder);
  }

  private static Optional<Path> newest() throws IOException {
    if (!Files.isDirectory(INSTALLED)) {
      return Optional.empty();
    }
    try (var versions = Files.list(INSTALLED)) {
      return versions
          .sorted(
              Comparator.comparing((Path version) -> version.getFileName().toString()).reversed())
          .map(version -> version.resolve("bin"))
          .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
          .filter(bin -> Files.isExecutable(bin.resolve("pg_basebackup")))
          .findFirst();
    }
  }

  /** Runs commands for the cluster on a port, not as root, which PostgreSQL refuses. */
  void shell(int port, String commands) {
    var words = new ArrayList<String>();
    if (System.getProperty("user.name").equals("root")) {
      words.add("unshare");
      words.add("-U");
    }
    words.add("sh");
    words.add("-ec");
    words.add(commands);
    var environment =
        Map.of(
            "PATH",
            programs + ":" + System.getenv("PATH"),
            "PGHOST",
            "127.0.0.1",
            "PGPORT",
            Integer.toString(port),
            "PGUSER",
            "hapax");
    try (var shell = HapaxProcess.startProgram(folder, environment, words.toArray(String[]::new))) {
      assertThat(shell.awaitExit()).as("%s: %s", commands, shell.errors()).isZero();
    }
  }

  /** Starts a new cluster with these settings. */
  void startNew(String cluster, int port, String settings) throws IOException {
    shell(
        port,
        "initdb --pgdata=%s --username=hapax --auth=trust --encoding=UTF8"
            .formatted(folder.resolve(cluster)));
    start(cluster, port, settings);
  }

  /** Starts a cluster with these settings, which replace earlier ones. */
  void start(String cluster, int port, String settings) throws IOException {
    Files.writeString(
        folder.resolve(cluster).resolve("postgresql.auto.conf"),
        String.format(Locale.ROOT, "port = %d\nunix_socket_directories = ''\n%s\n", port, settings),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    shell(
        port,
        "pg_ctl --pgdata=%s --log=%s.log --wait start".formatted(folder.resolve(cluster), cluster));
  }

  /** Stops a cluster, if it runs, in this mode of {@code pg_ctl}. */
  void stop(String cluster, String mode) {
    if (Files.exists(folder.resolve(cluster).resolve("postmaster.pid"))) {
      shell(0, "pg_ctl --pgdata=%s --mode=%s --wait stop".formatted(folder.resolve(cluster), mode));
    }
  }

  static String url(int port) {
    return String.format(Locale.ROOT, "jdbc:postgresql://127.0.0.1:%d/hapax?user=hapax", port);
  }
}
