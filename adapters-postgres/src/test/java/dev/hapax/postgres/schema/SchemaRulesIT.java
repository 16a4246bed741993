package dev.hapax.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.operation.ResultPartitions;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rules for tables and functions that replication needs, or a database in several nodes. */
class SchemaRulesIT {
  private static final Pattern WRITTEN =
      Pattern.compile("(?i)\\b(?:INSERT INTO|UPDATE|DELETE FROM)\\s+hapax\\.(\\w+)");

  /** Not the UPDATE of a lock. */
  private static final Pattern UPDATE =
      Pattern.compile("(?is)(?<!\\bFOR )(?<!\\bFOR NO KEY )\\bUPDATE\\b[^;]*");

  /** Gives the policies the form for several nodes. */
  static final String WALLS_OF_NODES =
      """
      SELECT hapax.raise_wall(tablename, false) FROM pg_policies
      WHERE schemaname = 'hapax' AND policyname = 'workspaces_in_scope'""";

  private static final Pattern CALL = Pattern.compile("\\b(\\w+)\\s*\\(");
  private static TestDatabase database;

  /** A function of the schema. */
  private record Routine(String name, String body) {
    Stream<String> find(Pattern pattern) {
      return pattern.matcher(body).results().map(MatchResult::group);
    }
  }

  @BeforeAll
  static void migrate() {
    database = TestDatabase.create();
    Migrations.migrate(database.dataSource());
    var connections = new MaintenanceConnections(database.dataSource(), SessionRoles.LOGIN);
    try (var partitions = new ResultPartitions(connections)) {
      partitions.maintain();
    }
  }

  @AfterAll
  static void close() {
    database.close();
  }

  private static List<String> query(String sql) throws SQLException {
    return rows(sql).stream().map(Routine::name).toList();
  }

  /** The first two columns. */
  private static List<Routine> rows(String sql) throws SQLException {
    try (var connection = database.connect();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      var found = new ArrayList<Routine>();
      var columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        found.add(new Routine(rows.getString(1), rows.getString(columns)));
      }
      return found;
    }
  }

  private static List<Routine> routines() throws SQLException {
    return rows(
        """
        SELECT proname, regexp_replace(pg_get_functiondef(oid), '--[^\\n]*', '', 'g') FROM pg_proc
        WHERE pronamespace = 'hapax'::regnamespace""");
  }

  @Test
  @DisplayName("given a table, then replication finds each of its rows by a key or as a whole")
  void identities() throws SQLException {
    assertThat(
            query(
                """
                SELECT c.relname FROM pg_class c
                WHERE c.relnamespace = 'hapax'::regnamespace AND c.relkind IN ('r', 'p')
                  AND NOT (c.relreplident = 'f' OR c.relreplident = 'd' AND EXISTS (
                    SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary))"""))
        .isEmpty();
  }

  @Test
  @DisplayName("given a table, then it has no trigger")
  void triggers() throws SQLException {
    assertThat(
            query(
                """
                SELECT t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                WHERE c.relnamespace = 'hapax'::regnamespace AND NOT t.tgisinternal"""))
        .isEmpty();
  }

  @Test
  @DisplayName("given policies for several nodes, then they have no SELECT")
  void policies() throws SQLException {
    database.execute(WALLS_OF_NODES);
    assertThat(
            query(
                """
                SELECT tablename FROM pg_policies
                WHERE schemaname = 'hapax' AND concat(qual, with_check) ~* '\\mselect\\M'"""))
        .isEmpty();
  }

  @Test
  @DisplayName("given a function that writes, then it names a table and no view")
  void views() throws SQLException {
    var views =
        query("SELECT viewname FROM pg_views WHERE schemaname = 'hapax'").stream()
            .map(view -> "hapax." + view)
            .toList();
    assertThat(views).isNotEmpty();
    assertThat(
            routines().stream()
                .flatMap(routine -> routine.find(WRITTEN))
                .filter(write -> views.stream().anyMatch(view -> write.endsWith(" " + view))))
        .isEmpty();
  }

  @Test
  @DisplayName("given a function with an UPDATE, then this calls no volatile function")
  void volatiles() throws SQLException {
    var volatiles = Set.copyOf(query("SELECT proname FROM pg_proc WHERE provolatile = 'v'"));
    assertThat(volatiles).contains("clock_timestamp", "nextval");
    var calls = new ArrayList<String>();
    for (var routine : routines()) {
      routine
          .find(UPDATE)
          .flatMap(update -> CALL.matcher(update).results())
          .map(call -> call.group(1).toLowerCase(Locale.ROOT))
          .filter(volatiles::contains)
          .forEach(call -> calls.add(routine.name() + ": " + call));
    }
    assertThat(calls).isEmpty();
  }
}
