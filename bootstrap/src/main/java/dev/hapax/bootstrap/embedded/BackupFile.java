package dev.hapax.bootstrap.embedded;

import static java.util.Objects.requireNonNull;

import dev.hapax.bootstrap.config.ProgramVersion;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Properties;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/** A backup of a cluster: a {@code .tar.gz} with its files and a description. */
public record BackupFile(Path path) {
  private static final String DESCRIPTION = "hapax-backup.properties";
  private static final String FORMAT = "1";

  /** The processor is busier than the disk. */
  private static final int FAST = 1;

  /**
   * What a backup says of itself.
   *
   * @param began when it was begun; it has the state at its end
   */
  public record Description(Instant began, String version) {}

  /**
   * Writes the backup of a running cluster. The file gets its name when it is complete.
   *
   * @param connection to its PostgreSQL, as a superuser
   */
  void write(Connection connection, Path cluster) throws IOException, SQLException {
    if (Files.exists(path)) {
      throw new IOException(path + " exists: name a file that does not exist");
    }
    var unfinished = path.resolveSibling(path.getFileName() + ".unfinished");
    Files.deleteIfExists(unfinished);
    try {
      write(connection, cluster, unfinished);
      Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
      Folders.sync(requireNonNull(path.toAbsolutePath().getParent()));
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  private static void write(Connection connection, Path cluster, Path file)
      throws IOException, SQLException {
    // it has the password of the database
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    var parameters = new GzipParameters();
    parameters.setCompressionLevel(FAST);
    try (var buffer = new BufferedOutputStream(Files.newOutputStream(file));
        var compressed = new GzipCompressorOutputStream(buffer, parameters);
        var tar = new TarArchiveOutputStream(compressed, StandardCharsets.UTF_8.name())) {
      tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      var files = new BackupEntries(tar);
      files.addText(DESCRIPTION, describe());
      new BaseBackup(connection, cluster, files).copy();
    }
    Folders.sync(file);
  }

  private static String describe() throws IOException {
    var description = new Properties();
    description.setProperty("format", FORMAT);
    description.setProperty("postgres", Cluster.VERSION);
    description.setProperty("hapax", ProgramVersion.text());
    description.setProperty("began", Instant.now().toString());
    var text = new StringWriter();
    description.store(text, null);
    return text.toString();
  }

  /**
   * Unpacks the cluster of a verified file to {@link Cluster#FOLDER} in a folder.
   *
   * @throws IOException if the file is not a complete backup that this version can restore
   */
  Description unpack(Path folder) throws IOException {
    try {
      try (var content = content()) {
        new Archive(folder, 0, Archive.Entries.FILES_AND_FOLDERS).unpack(content);
      }
    } catch (IOException e) {
      throw incomplete(e);
    }
    var cluster = folder.resolve(Cluster.FOLDER);
    if (!Files.exists(cluster.resolve(BaseBackup.LABEL))) {
      throw new IOException(path + " is not a complete backup: it has no " + BaseBackup.LABEL);
    }
    return description(folder.resolve(DESCRIPTION));
  }

  private GZIPInputStream content() throws IOException {
    return new GZIPInputStream(new BufferedInputStream(Files.newInputStream(path)));
  }

  /**
   * Checks each entry, and the checksum at the end, which the reader of the archive would not read.
   *
   * @throws IOException if the file is not a complete backup
   */
  void verify() throws IOException {
    if (!Files.isRegularFile(path)) {
      throw new IOException(path + " does not exist");
    }
    try (var content = content()) {
      Archive.Entries.FILES_AND_FOLDERS.check(content);
      content.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw incomplete(e);
    }
  }

  private IOException incomplete(IOException cause) {
    return new IOException(path + " is not a complete backup: " + cause.getMessage(), cause);
  }

  private Description description(Path file) throws IOException {
    var description = new Properties();
    try (var text = Files.newBufferedReader(file)) {
      description.load(text);
    }
    var format = description.getProperty("format", "");
    var postgres = description.getProperty("postgres", "");
    var version = description.getProperty("hapax", "");
    if (!FORMAT.equals(format) || !Cluster.VERSION.equals(postgres)) {
      throw new IOException(
          "%s has format %s and PostgreSQL %s, and this hapax restores format %s and PostgreSQL %s: use version %s of hapax"
              .formatted(path, format, postgres, FORMAT, Cluster.VERSION, version));
    }
    try {
      return new Description(Instant.parse(description.getProperty("began", "")), version);
    } catch (DateTimeParseException e) {
      throw new IOException(path + " does not say when it was begun", e);
    }
  }
}
