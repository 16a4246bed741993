package dev.hapax.bootstrap.database;

import dev.hapax.bootstrap.config.JdbcTarget;
import java.sql.SQLException;
import java.util.Optional;
import java.util.regex.Pattern;

/** Why a database cannot be used, and what to do about it. */
public final class DatabaseProblem {
  private static final String NOT_PERMITTED = "42501";
  private static final Pattern CLOSED = Pattern.compile("permission denied for database \"(.*)\"");

  private DatabaseProblem() {}

  /** The sentence for an error of a doctor, who may have been given the wrong address. */
  public static String connecting(JdbcTarget target, SQLException e) {
    return grant(target, e)
        .map(grant -> "cannot connect to %s: %s%s".formatted(target, e.getMessage(), grant))
        .orElseGet(
            () ->
                "cannot connect to %s; check --database-url, user and password: %s"
                    .formatted(target, e.getMessage()));
  }

  /** The sentence for an error of a server. */
  public static String starting(JdbcTarget target, SQLException e) {
    return "cannot use %s: %s%s".formatted(target, e.getMessage(), grant(target, e).orElse(""));
  }

  /** The sentence for an error of a command that works on the tables. */
  public static String of(JdbcTarget target, Exception e) {
    if (!(e instanceof SQLException error)) {
      return "cannot use %s: %s".formatted(target, e.getMessage());
    }
    return NOT_PERMITTED.equals(error.getSQLState()) && grant(target, error).isEmpty()
        ? "cannot use %s: %s; run this command as the owner of the schema hapax, with --database-user"
            .formatted(target, e.getMessage())
        : starting(target, error);
  }

  /** The statement to run, if the user may not connect. */
  private static Optional<String> grant(JdbcTarget target, SQLException e) {
    var closed = CLOSED.matcher(String.valueOf(e.getMessage()));
    return closed.find()
        ? Optional.of(
            "; run as its owner: GRANT CONNECT ON DATABASE %s TO %s"
                .formatted(closed.group(1), target.user().orElse("this user")))
        : Optional.empty();
  }
}
