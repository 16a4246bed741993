package dev.hapax.bootstrap.config;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.cell.CellName;
import dev.hapax.postgres.DatabasePassword;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A cell with the address of its database.
 *
 * @param isCitus whether that is the coordinator of a Citus cluster
 */
public record CellTarget(CellName name, JdbcTarget target, boolean isCitus) {
  private static final String CITUS = "citus:";
  private static final String USER = "user";
  private static final String PASSWORD_FILE = "password-file";

  /**
   * Parses {@code NAME=[citus:]JDBC_URL [user=NAME] [password-file=FILE]}.
   *
   * @param defaults the user and the password of a cell that names none
   */
  static CellTarget parse(String text, JdbcLogin defaults) {
    var equals = text.indexOf('=');
    if (equals < 0) {
      throw new IllegalArgumentException("must be NAME=JDBC_URL");
    }
    var name = name(text.substring(0, equals).strip());
    var words = List.of(text.substring(equals + 1).strip().split("\\s+"));
    var login = defaults;
    for (var word : words.subList(1, words.size())) {
      login = login(word, login);
    }
    var isCitus = words.getFirst().startsWith(CITUS);
    var url = url(name, isCitus ? words.getFirst().substring(CITUS.length()) : words.getFirst());
    return new CellTarget(name, new JdbcTarget(url, login.user(), login.password()), isCitus);
  }

  private static CellName name(String text) {
    if (text.equals(CellName.DEFAULT.text())) {
      throw new IllegalArgumentException(
          "the cell default is the database of --database-url; use another name");
    }
    try {
      return new CellName(text);
    } catch (InvalidValueException e) {
      throw new IllegalArgumentException(
          "the name of a cell " + e.rule() + " (was " + JdbcUrl.mask(text) + ")", e);
    }
  }

  private static JdbcUrl url(CellName name, String text) {
    try {
      return new JdbcUrl(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("the URL of cell " + name + " " + e.getMessage(), e);
    }
  }

  private static JdbcLogin login(String word, JdbcLogin before) {
    var equals = word.indexOf('=');
    var value = equals < 0 ? "" : word.substring(equals + 1);
    var key = equals < 0 ? word : word.substring(0, equals);
    if (!value.isEmpty() && key.equals(USER)) {
      return new JdbcLogin(Optional.of(value), before.password());
    }
    if (!value.isEmpty() && key.equals(PASSWORD_FILE)) {
      return new JdbcLogin(before.user(), new DatabasePassword.InFile(Path.of(value)));
    }
    throw new IllegalArgumentException(
        "only user=NAME and password-file=FILE may follow the URL (was %s)".formatted(key));
  }
}
