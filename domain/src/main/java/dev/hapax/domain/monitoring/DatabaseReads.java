package dev.hapax.domain.monitoring;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Reads the state of the database. */
public interface DatabaseReads {
  CompletableFuture<DatabaseInfo> info();

  /**
   * The database at one time.
   *
   * @param schemaVersion the number of the last migration
   * @param now the time by its clock
   * @param knowsParts whether all servers that work on it know parts of steps
   */
  record DatabaseInfo(int schemaVersion, Instant now, boolean knowsParts) {}
}
