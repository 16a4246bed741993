package dev.hapax.bootstrap.embedded;

import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.JdbcUrl;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A PostgreSQL cluster on disk. A folder that exists is complete, since a rename creates it. */
record Cluster(Path folder) {
  static final String FOLDER = "postgres";
  static final String VERSION = "18";

  /** In a cluster that was restored, until an operator has said what it is for. */
  static final String RESTORED_FILE = "hapax.restored";

  private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);
  private static final String USER = "hapax";
  private static final String PASSWORD_FILE = "hapax.password";
  private static final int PASSWORD_BYTES = 24;

  /** Returns the cluster of a data folder; creates it if missing. */
  static Cluster in(DataDirectory directory, PostgresPrograms programs) throws IOException {
    var folder = directory.path().resolve(FOLDER);
    var cluster = new Cluster(folder);
    if (Files.exists(folder)) {
      cluster.checkVersion();
    } else {
      cluster.initialise(directory, programs);
    }
    return cluster;
  }

  /** Returns the connection; it needs a password, since other local users can reach the port. */
  JdbcTarget target(int port, String database) throws IOException {
    return new JdbcTarget(
        new JdbcUrl("jdbc:postgresql://127.0.0.1:" + port + "/" + database),
        Optional.of(USER),
        Optional.of(Files.readString(folder.resolve(PASSWORD_FILE)).strip()));
  }

  private void checkVersion() throws IOException {
    var file = folder.resolve("PG_VERSION");
    if (!Files.exists(file)) {
      throw new IOException(folder + " is not a PostgreSQL cluster of hapax: move it away");
    }
    var version = Files.readString(file).strip();
    if (!version.equals(VERSION)) {
      throw new IOException(
          "%s was created by PostgreSQL %s, but this hapax contains %s: dump it with the old version first"
              .formatted(folder, version, VERSION));
    }
  }

  private void initialise(DataDirectory directory, PostgresPrograms programs) throws IOException {
    LOG.info("creating a new database in {}", folder);
    var unfinished = folder.resolveSibling("postgres.unfinished");
    Folders.delete(unfinished);
    Files.createDirectory(unfinished);
    programs.account().own(unfinished);
    var password = writePassword(directory.path().resolve(PASSWORD_FILE));
    programs.account().own(password);
    var initdb = programs.run("initdb", initdbOptions(unfinished, password));
    if (initdb.failed()) {
      throw new IOException(
          "cannot create a database in " + folder + ":\n" + initdb.output().strip());
    }
    Files.move(password, unfinished.resolve(PASSWORD_FILE), StandardCopyOption.ATOMIC_MOVE);
    Folders.sync(unfinished);
    Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
    Folders.sync(directory.path());
  }

  // the builtin locale has the same order on every system and needs no library; all commits wait
  // while a segment of the log is created, which takes 50 ms for the usual 16 MB
  private static String[] initdbOptions(Path unfinished, Path password) {
    return new String[] {
      "--pgdata=" + unfinished,
      "--username=" + USER,
      "--pwfile=" + password,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--wal-segsize=1",
      "--no-instructions"
    };
  }

  private static Path writePassword(Path file) throws IOException {
    var bytes = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(bytes);
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, HexFormat.of().formatHex(bytes), StandardCharsets.US_ASCII);
    try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    return file;
  }
}
