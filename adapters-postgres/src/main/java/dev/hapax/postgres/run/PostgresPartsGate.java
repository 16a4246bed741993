package dev.hapax.postgres.run;

import dev.hapax.domain.run.PartsGate;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;

/** Asks the database until the gate is open, which it then stays. */
public final class PostgresPartsGate implements PartsGate {
  /** The SQLSTATE while a server works that does not know parts. */
  private static final String REFUSED = "HX004";

  private final ReadExecutor reads;
  private volatile boolean isOpen;

  public PostgresPartsGate(ReadExecutor reads) {
    this.reads = reads;
  }

  @Override
  public CompletableFuture<Boolean> open() {
    return isOpen
        ? CompletableFuture.completedFuture(true)
        : reads
            .submitUnscoped(PostgresPartsGate::use)
            .whenComplete((open, _) -> isOpen |= Boolean.TRUE.equals(open));
  }

  private static boolean use(ReadSession session) throws SQLException {
    try (var statement = session.connection().createStatement()) {
      statement.execute("SELECT hapax.use_parts()");
      return true;
    } catch (SQLException e) {
      if (REFUSED.equals(e.getSQLState())) {
        return false;
      }
      throw e;
    }
  }
}
