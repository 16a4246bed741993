package dev.hapax.console.server;

import dev.hapax.console.view.DisplayTime;
import java.util.List;

/**
 * The servers, and what the database says of itself.
 *
 * @param version of the server that answers
 * @param schema the number of the last migration
 * @param databaseTime by the clock of the database
 */
public record ServerListView(
    List<Row> servers, String version, int schema, DisplayTime databaseTime) {
  /** A server. */
  public record Row(
      String id,
      String version,
      DisplayTime started,
      DisplayTime seen,
      boolean isRunning,
      String cells) {}
}
