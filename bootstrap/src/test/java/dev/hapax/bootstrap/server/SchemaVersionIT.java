package dev.hapax.bootstrap.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.JdbcUrl;
import dev.hapax.bootstrap.config.ServerConfig.LedgerConfig;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.RowLevelSecurity;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Tag("long")
class SchemaVersionIT {
  private static final LedgerConfig LEDGER =
      new LedgerConfig(4, 2, 256, Duration.ofDays(30), Duration.ofDays(365), RowLevelSecurity.AUTO);
  private TestDatabase database;

  @BeforeEach
  void create() {
    database = TestDatabase.create();
    Migrations.migrate(database.dataSource());
  }

  @AfterEach
  void drop() {
    database.close();
  }

  private static SchemaVersion version(FlywayRelay relay) {
    var target = new JdbcTarget(new JdbcUrl(relay.url()), Optional.empty(), Optional.empty());
    return new SchemaVersion(PostgresTarget.boundedSource(target, LEDGER));
  }

  @Test
  @DisplayName("given a check of the schema, then it takes one query")
  void takesOneQuery() throws IOException {
    try (var relay = new FlywayRelay(database.url())) {
      var version = version(relay);
      assertThat(version.problem()).isEmpty();

      assertThat(relay.queries()).isEqualTo(1);
    }
  }

  @Test
  @Tag("fault")
  @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
  @DisplayName(
      "given a connection that is cut off silently, then the read ends, and the next works")
  void cutOff() throws IOException {
    try (var relay = new FlywayRelay(database.url())) {
      var version = version(relay);
      relay.silence(true);
      assertThat(version.problem()).contains("cannot be read");

      relay.silence(false);
      assertThat(version.problem()).isEmpty();
    }
  }
}
