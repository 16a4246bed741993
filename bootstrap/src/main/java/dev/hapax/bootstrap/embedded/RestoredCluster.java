package dev.hapax.bootstrap.embedded;

import dev.hapax.bootstrap.config.StartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster that came from a backup, until an operator has said what it is for. */
public final class RestoredCluster {
  private static final Logger LOG = LoggerFactory.getLogger(RestoredCluster.class);
  private static final String UNFINISHED = "restore.unfinished";

  private RestoredCluster() {}

  /** Unpacks a backup and replays its log; the cluster gets its name when that has succeeded. */
  static BackupFile.Description unpack(BackupFile backup, DataDirectory directory)
      throws IOException {
    var programs = PostgresPrograms.forData(directory.path());
    var unfinished = directory.path().resolve(UNFINISHED);
    Folders.delete(unfinished);
    Files.createDirectory(
        unfinished,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try {
      LOG.info("unpacking {}", backup.path());
      var description = backup.unpack(unfinished);
      var cluster = new Cluster(unfinished.resolve(Cluster.FOLDER));
      Files.writeString(cluster.folder().resolve(Cluster.RESTORED_FILE), description.toString());
      own(unfinished, programs.account());
      LOG.info("replaying what was written during the backup");
      Supervisor.start(new Postmaster(cluster, programs)).close();
      Folders.sync(cluster.folder());
      var folder = directory.path().resolve(Cluster.FOLDER);
      Files.move(cluster.folder(), folder, StandardCopyOption.ATOMIC_MOVE);
      Folders.sync(directory.path());
      return description;
    } finally {
      Folders.delete(unfinished);
    }
  }

  private static void own(Path folder, OsUser account) throws IOException {
    try (var files = Files.walk(folder)) {
      for (var file : files.toList()) {
        if (Files.isDirectory(file)) {
          Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        }
        account.own(file);
      }
    }
  }

  /**
   * Checks that an operator has said what the database of this folder is for, if it was restored.
   *
   * @throws IOException if not
   */
  public static void requireConfirmed(Path dataDir) throws IOException {
    if (Files.exists(file(dataDir))) {
      throw new StartException(
          StartException.Reason.DATABASE_REFUSES,
          dataDir
              + " was restored from a backup, and claims granted before the restore are still valid in it: run `hapax doctor"
              + " --after-restore=replacement` if it replaces a database that was lost, or `=copy` if it is"
              + " used beside the original");
    }
  }

  /** Lets servers start on the database of this folder. */
  public static void confirm(Path dataDir) throws IOException {
    Files.deleteIfExists(file(dataDir));
    Folders.sync(dataDir.resolve(Cluster.FOLDER));
  }

  private static Path file(Path dataDir) {
    return dataDir.resolve(Cluster.FOLDER).resolve(Cluster.RESTORED_FILE);
  }
}
