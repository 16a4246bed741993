package dev.hapax.postgres.ledger;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** Connections as the ledger needs them; they differ from those of reads in their plans. */
public final class LedgerConnections {
  /**
   * Every statement joins the arrays it was sent to an index. What is known of the tables is often
   * wrong (they fill and empty all the time), and one scan of a table costs more than all its
   * plans.
   *
   * <p>A session whose node stopped in the middle of a request is active, not idle, and no timeout
   * of a statement counts: only that of the transaction (PostgreSQL 17 and later) ends it, and
   * keepalives if the node's machine is gone. The transaction's is longer than any command waits.
   */
  private static final String SETTINGS =
      """
      SET enable_seqscan = off;
      SET enable_hashjoin = off;
      SET enable_mergejoin = off;
      SET plan_cache_mode = force_generic_plan;
      SET jit = off;
      SET lock_timeout = '1s';
      SET statement_timeout = '10s';
      SET idle_in_transaction_session_timeout = '5s';
      SET tcp_keepalives_idle = 10;
      SET tcp_keepalives_interval = 5;
      SET tcp_keepalives_count = 3;
      SET tcp_user_timeout = '20s';
      SET default_transaction_isolation = 'read committed';
      SET TimeZone = 'UTC';
      SET synchronous_commit = on;
      SELECT set_config(name, '15s', false) FROM pg_settings WHERE name = 'transaction_timeout'""";

  /** A committer that waits for a connection answers nobody. */
  private static final long CONNECT_MILLIS = 1_000;

  private LedgerConnections() {}

  /** One connection for each committer, and another one while a batch of its is in doubt. */
  public static HikariDataSource pool(HikariConfig address, int committers) {
    var config = new HikariConfig();
    address.copyStateTo(config);
    config.setPoolName("ledger");
    config.setMaximumPoolSize(2 * committers);
    config.setMinimumIdle(committers);
    config.setConnectionTimeout(Math.min(address.getConnectionTimeout(), CONNECT_MILLIS));
    config.setConnectionInitSql(SETTINGS);
    // a ledger waits for its database by itself
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }
}
