package dev.hapax.postgres.run;

import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;

/** Asks the database until the gate of a feature is open, which it then stays. */
public final class PostgresFeatureGate {
  /** The SQLSTATE while a server works that does not know the feature. */
  private static final String REFUSED = "HX004";

  private final ReadExecutor reads;
  private final String use;
  private volatile boolean isOpen;

  /**
   * Creates the gate.
   *
   * @param use the statement that uses the feature for good
   */
  public PostgresFeatureGate(ReadExecutor reads, String use) {
    this.reads = reads;
    this.use = use;
  }

  /** Returns whether the feature may be used. */
  public CompletableFuture<Boolean> open() {
    return isOpen
        ? CompletableFuture.completedFuture(true)
        : reads
            .submitUnscoped(this::use)
            .whenComplete((open, _) -> isOpen |= Boolean.TRUE.equals(open));
  }

  private boolean use(ReadSession session) throws SQLException {
    try (var statement = session.connection().createStatement()) {
      statement.execute(use);
      return true;
    } catch (SQLException e) {
      if (REFUSED.equals(e.getSQLState())) {
        return false;
      }
      throw e;
    }
  }
}
