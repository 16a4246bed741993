package dev.hapax.postgres.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.zip.CRC32;

/** The migrations in the jar of this program. */
final class ShippedMigrations {
  private static final String FOLDER = "/db/migration";

  private static final List<ShippedMigration> ALL = read();

  private ShippedMigrations() {}

  /** All migrations, in the order of their versions. */
  static List<ShippedMigration> all() {
    return ALL;
  }

  private static List<ShippedMigration> read() {
    try {
      return scripts().stream()
          .map(ShippedMigrations::read)
          .sorted(Comparator.comparingInt(ShippedMigration::version))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> scripts() throws IOException {
    URL folder = ShippedMigrations.class.getResource(FOLDER);
    if (folder == null) {
      throw new IOException(FOLDER + " is missing");
    }
    if (!(folder.openConnection() instanceof JarURLConnection jar)) {
      return scripts(folder);
    }
    var prefix = FOLDER.substring(1) + "/";
    return jar.getJarFile().stream()
        .map(entry -> entry.getName())
        .filter(name -> name.startsWith(prefix) && name.endsWith(".sql"))
        .map(name -> name.substring(prefix.length()))
        .toList();
  }

  private static List<String> scripts(URL folder) throws IOException {
    try (var files = Files.list(Path.of(folder.toURI()))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".sql"))
          .toList();
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }

  private static ShippedMigration read(String script) {
    var resource = FOLDER + "/" + script;
    try (var stream = ShippedMigrations.class.getResourceAsStream(resource)) {
      if (stream == null) {
        throw new IOException(resource + " is missing");
      }
      var sql = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      return ShippedMigration.of(script, checksum(sql), sql);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As Flyway computes it: without the ends of lines. */
  private static int checksum(String sql) {
    var checksum = new CRC32();
    sql.lines().forEach(line -> checksum.update(line.getBytes(StandardCharsets.UTF_8)));
    return (int) checksum.getValue();
  }
}
