package dev.hapax.console.server;

import dev.hapax.console.view.DisplayTime;
import java.util.List;

/**
 * The servers, and what the database says of itself.
 *
 * @param version of the server that answers
 * @param schema the number of the last migration
 * @param databaseTime by the clock of the database
 * @param intents a sentence on the intents of SQL that wait
 */
public record ServerListView(
    List<Row> servers,
    List<CertificateLine> certificates,
    String version,
    int schema,
    DisplayTime databaseTime,
    String intents) {
  /**
   * A server.
   *
   * @param clock how far the clock of the database is ahead of its own
   * @param keys the number of API keys, and the age of their read
   */
  public record Row(
      String id,
      String version,
      DisplayTime started,
      DisplayTime seen,
      boolean isRunning,
      String cells,
      String clock,
      String committers,
      String keys) {}
}
