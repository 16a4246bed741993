package dev.hapax.bootstrap.config;

import dev.hapax.postgres.DatabasePassword;
import java.util.Optional;

/** A JDBC URL with user and password. */
public record JdbcTarget(JdbcUrl url, Optional<String> user, DatabasePassword password) {
  /** Has a password that stays, or none. */
  public JdbcTarget(JdbcUrl url, Optional<String> user, Optional<String> password) {
    this(
        url,
        user,
        password
            .<DatabasePassword>map(DatabasePassword.Text::new)
            .orElseGet(DatabasePassword.None::new));
  }

  @Override
  public String toString() {
    return url + user.map(name -> " as " + name).orElse("");
  }
}
