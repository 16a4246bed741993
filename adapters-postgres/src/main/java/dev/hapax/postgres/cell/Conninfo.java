package dev.hapax.postgres.cell;

import dev.hapax.postgres.DatabasePassword;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.postgresql.ds.PGSimpleDataSource;

/** The address of a database as PostgreSQL itself takes it, in the form of libpq. */
public final class Conninfo {
  private Conninfo() {}

  /**
   * Returns the address of a database, with its password.
   *
   * @param user empty = that of the URL
   * @throws SQLException if the password cannot be read
   */
  public static String of(String jdbcUrl, Optional<String> user, DatabasePassword password)
      throws SQLException {
    var url = new PGSimpleDataSource();
    url.setURL(jdbcUrl);
    var words = new LinkedHashMap<String, Optional<String>>();
    words.put("host", Optional.of(String.join(",", url.getServerNames())));
    words.put(
        "port",
        Optional.of(
            Arrays.stream(url.getPortNumbers())
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(","))));
    words.put("dbname", Optional.ofNullable(url.getDatabaseName()));
    words.put("user", user.or(() -> Optional.ofNullable(url.getUser())));
    words.put("password", password.current().or(() -> Optional.ofNullable(url.getPassword())));
    words.put("sslmode", Optional.ofNullable(url.getSslMode()));
    return words.entrySet().stream()
        .filter(word -> word.getValue().isPresent())
        .map(Conninfo::word)
        .collect(Collectors.joining(" "));
  }

  private static String word(Map.Entry<String, Optional<String>> word) {
    var value = word.getValue().orElseThrow().replace("\\", "\\\\").replace("'", "\\'");
    return word.getKey() + "='" + value + "'";
  }
}
