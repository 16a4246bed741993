package dev.hapax.bench.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.bootstrap.config.JdbcTarget;
import java.sql.Connection;
import java.sql.SQLException;

/** Connection pools for the peers that are libraries. */
final class BenchPool {
  private BenchPool() {}

  static HikariDataSource open(JdbcTarget database, int connections) throws SQLException {
    var config = new HikariConfig();
    config.setJdbcUrl(database.url().value());
    database.user().ifPresent(config::setUsername);
    database.password().current().ifPresent(config::setPassword);
    config.setMaximumPoolSize(connections);
    return new HikariDataSource(config);
  }

  static void execute(HikariDataSource pool, String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
