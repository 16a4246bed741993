package dev.hapax.postgres.schema;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import javax.sql.DataSource;

/**
 * Compares the migrations of this program with those that Flyway recorded in a database, in one
 * query. Flyway needs a tenth of a second and several connections for the same answer.
 */
final class SchemaHistory {
  private static final String FOLDER = "db/migration";

  private static final String APPLIED =
      """
      SELECT script, checksum, success AND type = 'SQL' AS applied
      FROM hapax.flyway_schema_history WHERE version IS NOT NULL""";

  private SchemaHistory() {}

  /**
   * Whether exactly the migrations of this program were applied, unchanged. In doubt it returns
   * false, and Flyway reports the problem.
   */
  static boolean isCurrent(DataSource database) {
    try {
      return applied(database).equals(checksums());
    } catch (SQLException | IOException _) {
      return false;
    }
  }

  private static Map<String, Integer> applied(DataSource database) throws SQLException {
    try (var connection = database.getConnection();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(APPLIED)) {
      var applied = new HashMap<String, Integer>();
      while (rows.next()) {
        if (!rows.getBoolean("applied")) {
          return Map.of();
        }
        applied.put(rows.getString("script"), rows.getInt("checksum"));
      }
      return applied;
    }
  }

  /** The checksum of each script, as Flyway computes it. */
  static Map<String, Integer> checksums() throws IOException {
    var checksums = new HashMap<String, Integer>();
    for (var script : scripts()) {
      checksums.put(script, checksum("/" + FOLDER + "/" + script));
    }
    return checksums;
  }

  private static List<String> scripts() throws IOException {
    URL folder = SchemaHistory.class.getResource("/" + FOLDER);
    if (folder == null) {
      throw new IOException(FOLDER + " is missing");
    }
    if (!(folder.openConnection() instanceof JarURLConnection jar)) {
      return scripts(folder);
    }
    var scripts = new ArrayList<String>();
    for (var entry : jar.getJarFile().stream().toList()) {
      var name = entry.getName();
      if (name.startsWith(FOLDER + "/") && name.endsWith(".sql")) {
        scripts.add(name.substring(FOLDER.length() + 1));
      }
    }
    return scripts;
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

  private static int checksum(String resource) throws IOException {
    var stream = SchemaHistory.class.getResourceAsStream(resource);
    if (stream == null) {
      throw new IOException(resource + " is missing");
    }
    var checksum = new CRC32();
    try (var lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        checksum.update(line.getBytes(StandardCharsets.UTF_8));
      }
    }
    return (int) checksum.getValue();
  }
}
