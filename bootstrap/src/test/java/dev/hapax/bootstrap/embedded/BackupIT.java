package dev.hapax.bootstrap.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.database.Connections;
import dev.hapax.bootstrap.process.DataDir;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("long")
class BackupIT {
  private static final int PADDING = 2_000;

  @TempDir private Path folder = Path.of("");

  private Path original() {
    return folder.resolve("original");
  }

  private Path restored() {
    return folder.resolve("restored");
  }

  private Path file() {
    return folder.resolve("backup.tar.gz");
  }

  @AfterEach
  void endPostgres() throws IOException {
    new DataDir(original()).close();
    new DataDir(restored()).close();
  }

  private static String query(JdbcTarget target, String sql) throws SQLException {
    try (var connection = Connections.open(target);
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return String.valueOf(rows.getString(1));
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Writes pairs of rows, updates and removes others, and makes checkpoints. */
  private static Callable<Integer> writer(JdbcTarget target, AtomicInteger written) {
    return () -> {
      try (var connection = Connections.open(target)) {
        while (!Thread.currentThread().isInterrupted()) {
          int pair = written.get() + 1;
          execute(
              connection,
              String.format(
                      Locale.ROOT,
                      "INSERT INTO entry SELECT %1$d, side, repeat(md5(random()::text), %2$d) FROM generate_series(1, 2) side;",
                      pair,
                      PADDING / 32)
                  + String.format(
                      Locale.ROOT,
                      "UPDATE entry SET text = reverse(text) WHERE pair = %d;",
                      pair / 2)
                  + String.format(
                      Locale.ROOT,
                      "CREATE TABLE passing_%1$d (n int); DROP TABLE passing_%1$d",
                      pair));
          written.set(pair);
          if (pair % 100 == 0) {
            execute(connection, "CHECKPOINT");
          }
        }
        return written.get();
      }
    };
  }

  @Test
  @Tag("U5")
  @DisplayName(
      "given a backup made under load, when it is restored, then it has what was committed before,"
          + " and no half of a transaction")
  void consistent() throws Exception {
    var written = new AtomicInteger();
    int before;
    try (var database = EmbeddedDatabase.start(original());
        var threads = Executors.newSingleThreadExecutor()) {
      try (var connection = Connections.open(database.target())) {
        execute(
            connection,
            "CREATE TABLE entry (pair int, side int, text text, PRIMARY KEY (pair, side))");
      }
      var writer = threads.submit(writer(database.target(), written));
      Condition.await("it writes", () -> written.get() > 200);
      before = written.get();
      EmbeddedDatabase.backup(database.target(), original(), file());
      assertThat(written).as("writes went on").hasValueGreaterThan(before);
      int after = written.get();
      Condition.await("it writes more", () -> written.get() > after + 50);
      assertThat(query(database.target(), "SELECT count(*) FROM pg_replication_slots"))
          .isEqualTo("0");
      writer.cancel(true);
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");

    EmbeddedDatabase.restore(file(), restored());

    try (var database = EmbeddedDatabase.start(restored())) {
      int pairs = Integer.parseInt(query(database.target(), "SELECT max(pair) FROM entry"));
      assertThat(pairs).isBetween(before, written.get() - 50);
      // by the table and by its index
      for (var setting : new String[] {"off", "on"}) {
        try (var connection = Connections.open(database.target());
            var statement = connection.createStatement()) {
          statement.execute(
              "SET enable_seqscan = %s; SET enable_indexonlyscan = %s".formatted(setting, setting));
          try (var rows =
              statement.executeQuery(
                  "SELECT count(*), sum(length(text)), count(DISTINCT pair) FROM entry WHERE pair > 0")) {
            rows.next();
            assertThat(rows.getInt(1)).isEqualTo(2 * pairs);
            assertThat(rows.getLong(2)).isEqualTo(2L * pairs * (PADDING / 32 * 32));
            assertThat(rows.getInt(3)).isEqualTo(pairs);
          }
        }
      }
    }
  }

  @Test
  @DisplayName("given a restored folder, then no server may start on it before it is confirmed")
  void unconfirmed() throws Exception {
    EmbeddedDatabase.start(original()).close();
    try (var database = EmbeddedDatabase.start(original())) {
      EmbeddedDatabase.backup(database.target(), original(), file());
      assertThatIOException()
          .isThrownBy(() -> EmbeddedDatabase.backup(database.target(), original(), file()))
          .withMessageContaining("backup.tar.gz exists");
    }
    RestoredCluster.requireConfirmed(original());

    EmbeddedDatabase.restore(file(), restored());

    assertThatIOException()
        .isThrownBy(() -> RestoredCluster.requireConfirmed(restored()))
        .withMessageContaining("--after-restore=replacement");
    assertThatIOException()
        .isThrownBy(() -> EmbeddedDatabase.restore(file(), restored()))
        .withMessageContaining("has a database");
    RestoredCluster.confirm(restored());
    RestoredCluster.requireConfirmed(restored());
  }

  @Test
  @Tag("U5")
  @DisplayName("given a file that is cut or changed, then it is refused and the folder stays empty")
  void damaged() throws Exception {
    try (var database = EmbeddedDatabase.start(original())) {
      EmbeddedDatabase.backup(database.target(), original(), file());
    }
    var content = Files.readAllBytes(file());
    var changed = content.clone();
    changed[content.length / 2] ^= 1;
    var damaged = folder.resolve("damaged.tar.gz");
    for (var bytes :
        new byte[][] {
          Arrays.copyOf(content, content.length / 2),
          Arrays.copyOf(content, content.length - 1),
          changed,
          new byte[0]
        }) {
      Files.write(damaged, bytes);
      assertThatIOException()
          .as("%d of %d bytes", bytes.length, content.length)
          .isThrownBy(() -> EmbeddedDatabase.restore(damaged, restored()))
          .withMessageContaining("damaged.tar.gz is not a complete backup");
      assertThat(EmbeddedDatabase.exists(restored())).isFalse();
      assertThat(restored().resolve("restore.unfinished")).doesNotExist();
    }
    assertThatIOException()
        .isThrownBy(() -> EmbeddedDatabase.restore(folder.resolve("missing"), restored()))
        .withMessageContaining("missing does not exist");
  }

  @ParameterizedTest
  @CsvSource({
    "postgres/zz, 2, ../../outside",
    "postgres/zz, 2, base",
    "postgres/zz, 1, ../../outside/file",
    "postgres/zz, 3, ''",
    "postgres/zz, 4, ''",
    "postgres/zz, 6, ''",
    "postgres/../../../outside/owned.txt, 0, ''",
    "postgres/base/../owned.txt, 0, ''",
    "/outside/owned.txt, 0, ''"
  })
  @DisplayName(
      "given an archive with a link, a device or a name that leads elsewhere, when it is restored,"
          + " then it is refused, and nothing is written [security-S4]")
  void foreignArchive(String name, char type, String link) throws Exception {
    var outside = Files.createDirectory(folder.resolve("outside"));
    try (var content = new GzipCompressorOutputStream(Files.newOutputStream(file()));
        var tar = new TarArchiveOutputStream(content)) {
      var files = new BackupEntries(tar);
      files.addText("hapax-backup.properties", "format=1\npostgres=18\n");
      files.addFolder("postgres");
      files.addText("postgres/backup_label", "label");
      var entry = new TarArchiveEntry(name, (byte) type, true);
      entry.setLinkName(link);
      tar.putArchiveEntry(entry);
      tar.closeArchiveEntry();
      files.addText("postgres/zz/owned.txt", "owned");
    }

    assertThatIOException()
        .isThrownBy(() -> EmbeddedDatabase.restore(file(), restored()))
        .withMessageContaining("is not a complete backup: it has an entry")
        .withMessageContaining(name);

    assertThat(outside).isEmptyDirectory();
    assertThat(restored()).doesNotExist();
  }
}
