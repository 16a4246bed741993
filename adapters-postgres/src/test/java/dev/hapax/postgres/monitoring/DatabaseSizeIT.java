package dev.hapax.postgres.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.testkit.postgres.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DatabaseSizeIT {
  private final TestDatabase database = TestDatabase.create();

  @AfterEach
  void stop() {
    database.execute("DROP ROLE IF EXISTS size_without_connect");
    database.close();
  }

  @Test
  @DisplayName(
      "given a session role without the right to connect, then the size is read as the user"
          + " [operators-S6]")
  void role() {
    database.execute(
        """
        CREATE ROLE size_without_connect;
        DO $$ BEGIN EXECUTE format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC', current_database());
        END $$
        """);
    try (var pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.url());
      pool.setConnectionInitSql("SET ROLE size_without_connect");
      pool.setMaximumPoolSize(1);
      try (var reads = new ReadExecutor(pool, 1)) {
        assertThat(new PostgresDatabaseReads(reads).bytes().join())
            .isEqualTo(
                Long.parseLong(database.query("SELECT pg_database_size(current_database())")));
      }
    }
  }
}
