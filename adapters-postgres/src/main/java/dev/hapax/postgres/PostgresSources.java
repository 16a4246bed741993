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
  private static final int PROBE_SECONDS = 1;

  private PostgresSources() {}

  /** Opens unpooled connections, for migrations and checks. */
  public static DataSource direct(PostgresConfig config) {
    return new PostgresDataSource(source(config), config.password(), Optional.empty());
  }

  /** Opens unpooled connections for short statements; 15 s without an answer fail them. */
  public static DataSource bounded(PostgresConfig config) {
    return bounded(config, Optional.empty());
  }

  private static DataSource bounded(PostgresConfig config, Optional<DatabaseOutage> outage) {
    var source = source(config);
    source.setSocketTimeout(SOCKET_SECONDS);
    return new PostgresDataSource(source, config.password(), outage);
  }

  /** Finds out when an outage has ended; a second without an answer fails it. */
  static DatabaseOutage outage(PostgresConfig config) {
    var source = source(config);
    source.setConnectTimeout(PROBE_SECONDS);
    source.setLoginTimeout(PROBE_SECONDS);
    source.setSocketTimeout(PROBE_SECONDS);
    return new DatabaseOutage(new PostgresDataSource(source, config.password(), Optional.empty()));
  }

  /** As {@link #bounded}, but waits for the end of an outage. */
  static DataSource bounded(PostgresConfig config, DatabaseOutage outage) {
    return bounded(config, Optional.of(outage));
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
