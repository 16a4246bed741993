package dev.hapax.bootstrap.config;

import java.util.Optional;

/** A JDBC URL with user and password. */
public record JdbcTarget(JdbcUrl url, Optional<String> user, Optional<String> password) {
  @Override
  public String toString() {
    return url + user.map(name -> " as " + name).orElse("");
  }
}
