package dev.hapax.domain.monitoring;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Reads the state of the database. */
public interface DatabaseReads {
  CompletableFuture<DatabaseInfo> info();

  /** Returns the size of the database in bytes; opens each of its files, so call it rarely. */
  CompletableFuture<Long> bytes();

  /**
   * The database at one time.
   *
   * @param schemaVersion the number of the last migration
   * @param now the time by its clock
   * @param features the newest feature that all servers know that work on it: 1 = parts of steps, 2
   *     = turns
   */
  record DatabaseInfo(int schemaVersion, Instant now, int features) {
    /** All that this version has. */
    public static final int TURNS = 2;
  }
}
