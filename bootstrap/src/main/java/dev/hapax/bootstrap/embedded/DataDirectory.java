package dev.hapax.bootstrap.embedded;

import dev.hapax.bootstrap.config.DatabaseConfig;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * An exclusive lock on a data folder. The operating system releases it if the process is killed.
 */
final class DataDirectory implements AutoCloseable {
  private static final String LOCK_NAME = "hapax.lock";
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");
  private static final long THIS_PROCESS = ProcessHandle.current().pid();

  // closing a second channel to the same file would release the lock of the first
  private static final Set<Path> CLAIMED_HERE = new HashSet<>();

  private final Path path;
  private final FileChannel lockFile;

  private DataDirectory(Path path, FileChannel lockFile) {
    this.path = path;
    this.lockFile = lockFile;
  }

  static DataDirectory claim(Path folder) throws IOException {
    var problem = DatabaseConfig.Embedded.problem(folder);
    if (problem.isPresent()) {
      throw new IOException("cannot use the data folder: " + problem.get());
    }
    var path = created(folder);
    synchronized (CLAIMED_HERE) {
      if (CLAIMED_HERE.contains(path)) {
        throw new DirectoryInUseException(path, Long.toString(THIS_PROCESS));
      }
      var directory = new DataDirectory(path, lock(path));
      CLAIMED_HERE.add(path);
      return directory;
    }
  }

  private static Path created(Path folder) throws IOException {
    try {
      if (!Files.isDirectory(folder)) {
        var parent = folder.toAbsolutePath().getParent();
        if (parent != null) {
          Files.createDirectories(parent);
        }
        Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
      }
      return folder.toRealPath();
    } catch (FileSystemException e) {
      var reason =
          e instanceof AccessDeniedException
              ? "permission denied"
              : Objects.requireNonNullElse(e.getReason(), "it is not a folder");
      throw new IOException(
          "cannot create the data folder %s: %s. Set --data-dir to another folder, or --database-url to an external PostgreSQL"
              .formatted(folder.toAbsolutePath(), reason),
          e);
    }
  }

  private static FileChannel lock(Path path) throws IOException {
    var file = path.resolve(LOCK_NAME);
    var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() == null) {
        throw new DirectoryInUseException(path, Files.readString(file).strip());
      }
      channel.truncate(0);
      channel.write(StandardCharsets.US_ASCII.encode(Long.toString(THIS_PROCESS)));
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Returns whether a process holds the lock. */
  static boolean isInUse(Path folder) throws IOException {
    if (!Files.exists(folder.resolve(LOCK_NAME))) {
      return false;
    }
    try (var _ = claim(folder)) {
      return false;
    } catch (DirectoryInUseException _) {
      return true;
    }
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    synchronized (CLAIMED_HERE) {
      CLAIMED_HERE.remove(path);
      lockFile.close();
    }
  }
}
