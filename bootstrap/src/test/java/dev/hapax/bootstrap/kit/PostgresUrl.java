package dev.hapax.bootstrap.kit;

import dev.hapax.testkit.postgres.TestDatabase;

/** The URL of a database for drivers other than that of Java. */
final class PostgresUrl {
  private PostgresUrl() {}

  static String of(TestDatabase database) {
    return database.url().substring("jdbc:".length());
  }
}
