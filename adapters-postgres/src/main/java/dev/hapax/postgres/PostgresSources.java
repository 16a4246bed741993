package dev.hapax.postgres;

import dev.hapax.postgres.ledger.UuidArray;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Makes sources of unpooled connections to a database. */
public final class PostgresSources {
  private static final int CONNECT_SECONDS = 5;

  /** A frozen server accepts a connection and never answers on it. */
  private static final int LOGIN_SECONDS = 10;

  private static final int SOCKET_SECONDS = 15;

  private PostgresSources() {}

  /** Opens unpooled connections, for migrations and checks. */
  public static DataSource direct(PostgresConfig config) {
    return new PasswordDataSource(source(config), config.password());
  }

  /** Opens unpooled connections for short statements; 15 s without an answer fail them. */
  public static DataSource bounded(PostgresConfig config) {
    var source = source(config);
    source.setSocketTimeout(SOCKET_SECONDS);
    return new PasswordDataSource(source, config.password());
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
