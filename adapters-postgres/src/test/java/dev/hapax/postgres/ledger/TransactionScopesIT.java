package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("A6")
class TransactionScopesIT {
  private final TestDatabase database = TestDatabase.create();
  private final TransactionScopes scopes = new TransactionScopes();

  @BeforeEach
  void migrate() {
    Migrations.migrate(database.dataSource());
    database.execute(
        """
        INSERT INTO hapax.definition (workspace, name, version, registered_at, steps, registered_by,
          reason)
        SELECT w, 'd', '1', now(), '[]', '', '' FROM unnest('{a,b,c,d,e,f}'::text[]) w""");
  }

  @AfterEach
  void close() {
    database.close();
  }

  private List<String> found(Connection connection, String... names) throws SQLException {
    var found = new ArrayList<String>();
    var pipeline = new Pipeline(connection);
    pipeline.add("BEGIN");
    scopes.set(pipeline, WorkspaceScope.of(Stream.of(names).map(Workspace::new)));
    pipeline.query(
        "SELECT workspace FROM hapax.definition ORDER BY 1",
        List.of(),
        row -> found.add(row.getString(1)));
    pipeline.add("COMMIT");
    // until COMMIT and no longer
    pipeline.query("SELECT 'left' FROM hapax.definition", List.of(), row -> found.add("left"));
    pipeline.run();
    return found;
  }

  @Test
  @DisplayName(
      "given more scopes than have a text, then each transaction finds the rows of its own")
  void scopes() throws SQLException {
    try (var connection = database.connect();
        var session = connection.createStatement()) {
      session.execute(SessionRoles.SEPARATED.beginRuntime());
      for (var round = 0; round < 8; round++) {
        for (var name : List.of("a", "b", "c", "d", "e")) {
          assertThat(found(connection, name)).containsExactly(name);
        }
        assertThat(found(connection, "f", "a")).containsExactly("a", "f");
        assertThat(found(connection)).isEmpty();
      }
    }
  }
}
