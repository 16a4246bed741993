package dev.hapax.postgres;

import dev.hapax.postgres.ledger.DatabaseOutage;
import dev.hapax.postgres.ledger.UuidArray;
import java.util.Optional;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Makes sources of unpooled connections to a database. */
public final class PostgresSources {
  private static final int CONNECT_SECONDS = 5;

  /** A frozen server accepts a connection and never answers on it. */
  private static final int LOGIN_SECONDS = 10;

  private static final int SOCKET_SECONDS = 15;

  /** The sessions of pools end their own statements after 10 s. */
  private static final int POOL_SOCKET_SECONDS = 11;

  private static final int PROBE_SECONDS = 1;

  private PostgresSources() {}

  /** Opens unpooled connections, for migrations and checks. */
  public static DataSource direct(PostgresConfig config) {
    return new PostgresDataSource(source(config), config.password(), Optional.empty());
  }

  /** Opens unpooled connections for short statements; 15 s without an answer fail them. */
  public static DataSource bounded(PostgresConfig config) {
    var source = source(config);
    source.setSocketTimeout(SOCKET_SECONDS);
    return new PostgresDataSource(source, config.password(), Optional.empty());
  }

  /** Finds out when an outage has ended; a second without an answer fails it. */
  static DatabaseOutage outage(PostgresConfig config) {
    var source = source(config);
    source.setConnectTimeout(PROBE_SECONDS);
    source.setLoginTimeout(PROBE_SECONDS);
    source.setSocketTimeout(PROBE_SECONDS);
    return new DatabaseOutage(new PostgresDataSource(source, config.password(), Optional.empty()));
  }

  /** Opens connections of pools, which wait for the end of an outage; 11 s of silence fail them. */
  static DataSource pooled(PostgresConfig config, DatabaseOutage outage) {
    var source = source(config);
    source.setSocketTimeout(POOL_SOCKET_SECONDS);
    return new PostgresDataSource(source, config.password(), Optional.of(outage));
  }

  /** As {@link #direct}, but waits for the end of an outage. */
  static DataSource direct(PostgresConfig config, DatabaseOutage outage) {
    return new PostgresDataSource(source(config), config.password(), Optional.of(outage));
  }

  private static PGSimpleDataSource source(PostgresConfig config) {
    var source = new PGSimpleDataSource();
    source.setURL(config.url());
    if (!config.user().isEmpty()) {
      source.setUser(config.user());
    }
    source.setConnectTimeout(CONNECT_SECONDS);
    source.setLoginTimeout(LOGIN_SECONDS);
    source.setTcpKeepAlive(true);
    source.setApplicationName("hapax");
    source.setBinaryTransferEnable(UuidArray.BINARY);
    // the detail of an error may show a row, and with it a payload
    source.setLogServerErrorDetail(false);
    return source;
  }
}
