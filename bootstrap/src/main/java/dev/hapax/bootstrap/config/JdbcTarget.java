package dev.hapax.bootstrap.config;

import java.util.Optional;

/** Everything needed to connect. */
public record JdbcTarget(JdbcUrl url, Optional<String> user, Optional<String> password) {
  @Override
  public String toString() {
    return url + user.map(name -> " as " + name).orElse("");
  }
}
