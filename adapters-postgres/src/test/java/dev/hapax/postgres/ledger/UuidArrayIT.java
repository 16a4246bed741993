package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UuidArrayIT {

  @ParameterizedTest
  @ValueSource(strings = {UuidArray.BINARY, ""})
  @DisplayName("PostgreSQL receives the same elements in binary and as text")
  void received(String binary) throws SQLException {
    var one = UUID.fromString("00000000-0000-0000-8000-0000000000ff");
    var other = UUID.fromString("ffffffff-ffff-ffff-ffff-fffffffffffe");
    assertThat(echo(binary, one, null, other)).isEqualTo("{%s,NULL,%s}".formatted(one, other));
    assertThat(echo(binary, one)).isEqualTo("{%s}".formatted(one));
    assertThat(echo(binary, (UUID) null)).isEqualTo("{NULL}");
    assertThat(echo(binary)).isEqualTo("{}");
  }

  /** Through unnest, as every write of a batch does it. */
  private static String echo(String binary, @Nullable UUID... elements) throws SQLException {
    var properties = new Properties();
    properties.setProperty("binaryTransferEnable", binary);
    try (var database = TestDatabase.create();
        var connection = DriverManager.getConnection(database.url(), properties);
        var select =
            connection.prepareStatement(
                "SELECT ARRAY(SELECT e FROM unnest(?::uuid[]) WITH ORDINALITY u(e, n) ORDER BY n)::text")) {
      select.setObject(1, new UuidArray(elements));
      try (var row = select.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }
}
