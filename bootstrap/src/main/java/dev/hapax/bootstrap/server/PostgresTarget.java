package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ProgramVersion;
import dev.hapax.bootstrap.config.ServerConfig.LedgerConfig;
import dev.hapax.postgres.PostgresConfig;
import dev.hapax.postgres.PostgresSources;
import dev.hapax.postgres.ledger.PostgresLedger;
import javax.sql.DataSource;

/** Derives the configuration of the store from that of the server. */
public final class PostgresTarget {
  private PostgresTarget() {}

  /** Returns a source of single connections, for work before the store is open. */
  public static DataSource source(JdbcTarget target, LedgerConfig ledger) {
    return PostgresSources.direct(config(target, ledger));
  }

  /** Returns a source of single connections with a socket timeout, for short statements. */
  static DataSource boundedSource(JdbcTarget target, LedgerConfig ledger) {
    return PostgresSources.bounded(config(target, ledger));
  }

  static PostgresConfig config(JdbcTarget target, LedgerConfig ledger) {
    return new PostgresConfig(
        target.url().value(),
        target.user().orElse(""),
        target.password(),
        ledger.poolSize() - ledger.committers(),
        PostgresLedger.Settings.DEFAULT
            .withCommitters(ledger.committers())
            .withBatchCommands(ledger.batchSize()),
        ledger.runRetention(),
        ledger.entityEventRetention(),
        ledger.rowLevelSecurity(),
        ProgramVersion.text());
  }
}
