package dev.hapax.postgres.ledger;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.postgres.schema.SessionRoles;
import java.util.Locale;

/** Opens the connections of the ledger, whose settings force plans by index. */
public final class LedgerConnections {
  /**
   * The lock timeout. A wait for a lock ends before PostgreSQL looks for a deadlock, by default
   * after a second, so that it does not end the transaction of a user instead.
   */
  static final int LOCK_MILLIS = 750;

  static final int STATEMENT_MILLIS = 10_000;

  /**
   * Every statement joins the arrays it was sent to an index. Statistics are often wrong (the
   * tables fill and empty all the time), and one scan of a table costs more than all these plans.
   * Citus has to see the values of an INSERT … SELECT to find the node of its rows.
   *
   * <p>A session whose node stopped in the middle of a request is active, not idle, and no timeout
   * of a statement counts: only that of the transaction (PostgreSQL 17 and later) ends it, and
   * keepalives if the node's machine is gone. The timeout of the transaction is longer than any
   * command waits.
   */
  private static final String SETTINGS =
      String.format(
          Locale.ROOT,
          """
      SET enable_seqscan = off;
      SET enable_hashjoin = off;
      SET enable_mergejoin = off;
      SET jit = off;
      SET lock_timeout = %d;
      SET statement_timeout = %d;
      SET idle_in_transaction_session_timeout = '5s';
      SET tcp_keepalives_idle = 10;
      SET tcp_keepalives_interval = 5;
      SET tcp_keepalives_count = 3;
      SET tcp_user_timeout = '20s';
      SET default_transaction_isolation = 'read committed';
      SET TimeZone = 'UTC';
      SET synchronous_commit = on;
      SELECT set_config('plan_cache_mode', CASE WHEN to_regprocedure('hapax.hold_schema()') IS NULL
        THEN 'force_generic_plan' ELSE 'auto' END, false);
      SELECT set_config(name, '15s', false) FROM pg_settings WHERE name = 'transaction_timeout'""",
          LOCK_MILLIS,
          STATEMENT_MILLIS);

  /** A committer that waits for a connection answers no command. */
  private static final long CONNECT_MILLIS = 1_000;

  private LedgerConnections() {}

  /** The most connections of a pool. */
  public static int most(int committers) {
    return 2 * committers;
  }

  /** Opens a pool with one connection for each committer, and another one for a batch in doubt. */
  public static HikariDataSource pool(HikariConfig address, int committers, SessionRoles roles) {
    var config = new HikariConfig();
    address.copyStateTo(config);
    config.setPoolName("ledger");
    config.setMaximumPoolSize(most(committers));
    config.setMinimumIdle(committers);
    config.setConnectionTimeout(Math.min(address.getConnectionTimeout(), CONNECT_MILLIS));
    config.setConnectionInitSql(SETTINGS + ";\n" + roles.beginRuntime());
    // the ledger retries by itself
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }
}
