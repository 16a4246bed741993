package dev.hapax.testkit.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A PostgreSQL whose clock a test can set, by libfaketime. */
public final class FakedClockDatabase implements AutoCloseable {
  private static final Path LIBRARIES = Path.of("/usr/lib");
  private static final Duration START_WAIT = Duration.ofSeconds(60);

  private final Process server;
  private final Path offset;
  private final String url;

  private FakedClockDatabase(Process server, Path offset, String url) {
    this.server = server;
    this.offset = offset;
    this.url = url;
  }

  /** The library, where the package of Debian puts it; empty if it is not installed. */
  public static Optional<Path> library() throws IOException {
    try (var machines = Files.newDirectoryStream(LIBRARIES)) {
      for (var machine : machines) {
        var library = machine.resolve("faketime").resolve("libfaketimeMT.so.1");
        if (Files.isReadable(library)) {
          return Optional.of(library);
        }
      }
    }
    return Optional.empty();
  }

  /** Starts a server with an empty database in this folder, whose clock is right. */
  public static FakedClockDatabase start(Path library, Path folder) throws Exception {
    var data = folder.resolve("data");
    int port;
    // this creates the cluster, and unpacks the programs
    try (var once =
        EmbeddedPostgres.builder().setDataDirectory(data).setCleanDataDirectory(false).start()) {
      port = once.getPort();
    }
    // the command line of the last start
    var program = Files.readString(data.resolve("postmaster.opts")).split(" ", 2)[0];
    var offset = Files.writeString(folder.resolve("offset"), "+0");
    var command = new ArrayList<String>();
    if (System.getProperty("user.name").equals("root")) {
      // PostgreSQL refuses root
      command.addAll(List.of("unshare", "-U"));
    }
    // only PostgreSQL itself has the library, or the program before it would own its semaphore
    command.addAll(
        List.of(
            "env",
            "LD_PRELOAD=" + library,
            "FAKETIME_TIMESTAMP_FILE=" + offset,
            "FAKETIME_NO_CACHE=1",
            // waits within PostgreSQL last as long as they say
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
            program));
    command.addAll(List.of("-D", data.toString(), "-p", Integer.toString(port)));
    for (var setting :
        List.of("listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off")) {
      command.addAll(List.of("-c", setting));
    }
    var server =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("postgres.log").toFile())
            .start();
    var url =
        String.format(Locale.ROOT, "jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres", port);
    var database = new FakedClockDatabase(server, offset, url);
    try {
      database.awaitStart();
      return database;
    } catch (SQLException e) {
      database.close();
      throw new IOException(Files.readString(folder.resolve("postgres.log")), e);
    }
  }

  private void awaitStart() throws SQLException {
    var deadline = System.nanoTime() + START_WAIT.toNanos();
    while (true) {
      try {
        DriverManager.getConnection(url).close();
        return;
      } catch (SQLException e) {
        if (!server.isAlive() || System.nanoTime() - deadline > 0) {
          throw e;
        }
      }
    }
  }

  public String url() {
    return url;
  }

  /** Sets the clock to the right time and so much. */
  public void set(Duration ahead) throws IOException {
    var next = offset.resolveSibling("next");
    Files.writeString(next, String.format(Locale.ROOT, "%+d", ahead.toSeconds()));
    // a reader of half a file would have another time
    Files.move(next, offset, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Ends it at once. */
  @Override
  public void close() {
    // SIGTERM would wait for the connections
    server.descendants().forEach(ProcessHandle::destroyForcibly);
    server.destroyForcibly().onExit().join();
  }
}
