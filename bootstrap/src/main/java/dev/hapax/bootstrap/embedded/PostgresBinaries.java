package dev.hapax.bootstrap.embedded;

import dev.hapax.bootstrap.config.StartException;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The PostgreSQL programs on disk. A folder that exists is complete, since a rename creates it. */
record PostgresBinaries(Path home) {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresBinaries.class);
  private static final String UNFINISHED = ".unfinished";

  Path program(String name) {
    return home.resolve("bin").resolve(name);
  }

  /** Returns the programs for this machine; unpacks them into the cache if missing. */
  static PostgresBinaries unpacked(Path cache) throws IOException {
    var archive = archive();
    var home = cache.resolve(folderName(archive));
    if (!Files.isDirectory(home)) {
      unpack(archive, home);
    }
    return new PostgresBinaries(home);
  }

  // the monitor excludes threads of this process, the file lock other processes
  private static synchronized void unpack(URL archive, Path home) throws IOException {
    var cache = Files.createDirectories(home.toAbsolutePath().getParent());
    try (var channel =
            FileChannel.open(
                cache.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var _ = channel.lock()) {
      if (Files.isDirectory(home)) {
        return;
      }
      LOG.info("unpacking PostgreSQL to {}", home);
      var unfinished = home.resolveSibling(home.getFileName() + UNFINISHED);
      Folders.delete(unfinished);
      Archive.unpackPrograms(archive, unfinished);
      Files.move(unfinished, home, StandardCopyOption.ATOMIC_MOVE);
      Folders.sync(cache);
    }
  }

  /** Returns why this machine has no built-in PostgreSQL; empty = it has one. */
  static Optional<String> missing() {
    return resource().isPresent()
        ? Optional.empty()
        : Optional.of(
            "there is no built-in PostgreSQL for "
                + platform()
                + ": set --database-url to an external one");
  }

  static void require() throws StartException {
    archive();
  }

  private static URL archive() throws StartException {
    return resource()
        .orElseThrow(
            () -> new StartException(StartException.Reason.CONFIGURATION, missing().orElseThrow()));
  }

  private static Optional<URL> resource() {
    return Optional.ofNullable(
        PostgresBinaries.class.getResource("/postgres-" + platform() + ".txz"));
  }

  private static String platform() {
    var platform = system() + "-" + architecture();
    // musl and glibc programs do not run on each other's systems
    return Files.exists(Path.of("/etc/alpine-release")) ? platform + "-alpine_linux" : platform;
  }

  private static String system() {
    var name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    return name.startsWith("mac") ? "darwin" : name;
  }

  private static String architecture() {
    var name = System.getProperty("os.arch", "");
    return switch (name) {
      case "amd64", "x86_64" -> "x86_64";
      case "aarch64", "arm64" -> "arm_64";
      default -> name;
    };
  }

  // the checksum is in the index of the jar, so that the archive is not read
  private static String folderName(URL archive) throws IOException {
    if (archive.openConnection() instanceof JarURLConnection jar) {
      return "postgres-" + Long.toHexString(jar.getJarEntry().getCrc());
    }
    throw new IOException(archive + " is not in a jar");
  }
}
