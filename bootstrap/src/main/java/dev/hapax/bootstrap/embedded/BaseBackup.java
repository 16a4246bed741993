package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Copies the files of a cluster while it is used, by PostgreSQL's low-level interface for backups:
 * the files may be of different moments, and the write-ahead log of that time repairs them.
 *
 * @param connection of a superuser, which stays open meanwhile
 */
record BaseBackup(Connection connection, Path cluster, BackupEntries target) {
  /** Says from where the log is replayed; the last file of a backup. */
  static final String LABEL = "backup_label";

  private static final String CONTROL_FILE = "global/pg_control";
  private static final String LOG_FOLDER = "pg_wal";

  /** Content of these folders is made again at a start, or must not be in a copy. */
  private static final Set<String> EMPTIED =
      Set.of(
          LOG_FOLDER,
          "pg_dynshmem",
          "pg_notify",
          "pg_replslot",
          "pg_serial",
          "pg_snapshots",
          "pg_stat_tmp",
          "pg_subtrans");

  private static final Set<String> LEFT_OUT =
      Set.of(
          "postmaster.pid",
          "postmaster.opts",
          LABEL,
          "tablespace_map",
          Cluster.RESTORED_FILE,
          // copied after all others
          CONTROL_FILE);

  private static final Pattern TEMPORARY = Pattern.compile("pgsql_tmp.*|pg_internal\\.init.*");
  private static final Pattern LOG_SEGMENT = Pattern.compile("[0-9A-F]{24}");

  /** Keeps the log from being recycled until the session ends. */
  private static final String KEEP_LOG =
      "SELECT pg_create_physical_replication_slot('hapax_backup_' || pg_backend_pid(), true, true)";

  private static final String START = "SELECT pg_walfile_name(pg_backup_start('hapax', true))";
  private static final String STOP =
      "SELECT pg_walfile_name(lsn), labelfile FROM pg_backup_stop(wait_for_archive => false)";
  private static final String RELEASE_LOG =
      "SELECT pg_drop_replication_slot('hapax_backup_' || pg_backend_pid())";

  void copy() throws IOException, SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(KEEP_LOG);
      var firstSegment = start(statement);
      copyFiles();
      target.add(name(CONTROL_FILE), controlFile());
      try (var stopped = statement.executeQuery(STOP)) {
        stopped.next();
        copyLog(firstSegment, stopped.getString(1));
        target.addText(name(LABEL), stopped.getString(2));
      }
      statement.execute(RELEASE_LOG);
    }
  }

  /** Returns the segment of the log from which it is replayed. */
  private static String start(Statement statement) throws SQLException {
    try (var started = statement.executeQuery(START)) {
      started.next();
      return started.getString(1);
    }
  }

  private static String name(String file) {
    return Cluster.FOLDER + "/" + file;
  }

  private void copyFiles() throws IOException {
    Files.walkFileTree(
        cluster,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            var path = relative(folder);
            if (TEMPORARY.matcher(folder.getFileName().toString()).matches()) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            target.addFolder(path.isEmpty() ? Cluster.FOLDER : name(path));
            return EMPTIED.contains(path) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            var path = relative(file);
            if (attributes.isRegularFile()
                && !LEFT_OUT.contains(path)
                && !TEMPORARY.matcher(file.getFileName().toString()).matches()) {
              target.add(name(path), file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              // it was removed
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }
        });
  }

  private String relative(Path file) {
    return cluster.relativize(file).toString();
  }

  /** Reads until two reads agree: PostgreSQL may write the file at the same time. */
  private byte[] controlFile() throws IOException {
    var file = cluster.resolve(CONTROL_FILE);
    var content = Files.readAllBytes(file);
    for (var again = Files.readAllBytes(file);
        !Arrays.equals(content, again);
        again = Files.readAllBytes(file)) {
      content = again;
    }
    return content;
  }

  private void copyLog(String first, String last) throws IOException {
    var folder = cluster.resolve(LOG_FOLDER);
    // PostgreSQL creates no folder within
    target.addFolder(name(LOG_FOLDER + "/archive_status"));
    target.addFolder(name(LOG_FOLDER + "/summaries"));
    try (var files = Files.list(folder)) {
      for (var file : files.sorted().toList()) {
        var segment = file.getFileName().toString();
        if (LOG_SEGMENT.matcher(segment).matches()
            && segment.compareTo(first) >= 0
            && segment.compareTo(last) <= 0) {
          target.add(name(LOG_FOLDER + "/" + segment), file);
        }
      }
    }
  }
}
