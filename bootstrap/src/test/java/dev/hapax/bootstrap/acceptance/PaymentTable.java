package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;

/** The payments of an application, in the database of Hapax. */
record PaymentTable(TestDatabase database, String workspace) {
  PaymentTable {
    database.execute(
        """
        CREATE TABLE IF NOT EXISTS payment (workspace text, entity text);
        GRANT SELECT, INSERT ON payment TO PUBLIC""");
  }

  void pay(Connection connection, String entity) throws SQLException {
    try (var statement = connection.prepareStatement("INSERT INTO payment VALUES (?, ?)")) {
      statement.setString(1, workspace);
      statement.setString(2, entity);
      assertThat(statement.executeUpdate()).isOne();
    }
  }

  /** The number of payments of an entity. */
  String of(String entity) {
    return database.query(
        "SELECT count(*) FROM payment WHERE workspace = '%s' AND entity = '%s'"
            .formatted(workspace, entity));
  }
}
