package dev.hapax.postgres;

import dev.hapax.postgres.ledger.LedgerConnections;
import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.read.ReadLanes;
import dev.hapax.postgres.schema.RowLevelSecurity;
import java.time.Duration;

/**
 * The address of the database, and the limits of its use.
 *
 * @param url a JDBC URL
 * @param user empty = as the URL or the driver says
 * @param readConnections for reads and housekeeping; the ledger has one connection for each of its
 *     committers, and one more listens to other nodes
 * @param runRetention how long a run is kept after its end, at least
 * @param entityEventRetention how long an event of an entity is kept, at least
 * @param rowLevelSecurity whether sessions assume the roles that it applies to
 * @param version the version of this server, as other servers and operators see it
 */
public record PostgresConfig(
    String url,
    String user,
    DatabasePassword password,
    int readConnections,
    PostgresLedger.Settings ledger,
    Duration runRetention,
    Duration entityEventRetention,
    RowLevelSecurity rowLevelSecurity,
    String version) {

  private static final int LISTENING = 1;

  /** Of housekeeping, the partitions of results and the check of the schema, at times. */
  private static final int SHORT = 3;

  /** The most connections that one server opens to one database. */
  public static int connections(int readConnections, int committers) {
    return LedgerConnections.most(committers) + ReadLanes.most(readConnections) + LISTENING + SHORT;
  }

  @Override
  public String toString() {
    return "PostgresConfig[url=%s, user=%s]".formatted(url, user);
  }
}
