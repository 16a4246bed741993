package dev.hapax.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.postgres.ledger.Column.Kind;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class UnnestRowsIT {
  private static final Field<String> NAME = DSL.field("name", SQLDataType.VARCHAR);
  private static final Field<UUID> ID = DSL.field("id", SQLDataType.UUID);

  private static final UnnestRows<Sent> ROWS =
      new UnnestRows<>(
          "u",
          List.of(
              new Column<>("name", Kind.TEXT, Sent::name),
              new Column<>("id", Kind.UUID, Sent::id),
              new Column<>("at", Kind.INSTANT, Sent::at)));

  private static TestLedgers ledgers;

  @BeforeAll
  static void start() {
    ledgers = new TestLedgers();
  }

  @AfterAll
  static void stop() {
    ledgers.close();
  }

  private record Sent(@Nullable String name, @Nullable UUID id, Instant at) {}

  private record Received(int number, @Nullable String name, @Nullable String id) {}

  @Test
  @DisplayName("Rows arrive in the order in which they were sent, with their numbers and nulls")
  void numbered() throws SQLException {
    var id = new UUID(1, 2);
    var sent =
        List.of(
            new Sent("b", null, Instant.EPOCH),
            new Sent(null, id, Instant.EPOCH),
            new Sent("a", id, Instant.EPOCH));
    var received = new ArrayList<Received>();
    query(
        RenderedSql.text(
            DSL.select(ROWS.number(), ROWS.get(NAME), ROWS.get(ID)).from(ROWS.table())),
        sent,
        row -> received.add(new Received(row.getInt(1), row.getString(2), row.getString(3))));
    assertThat(received)
        .containsExactly(
            new Received(1, "b", null),
            new Received(2, null, id.toString()),
            new Received(3, "a", id.toString()));
  }

  @Test
  @DisplayName("A column of which all values are null does not lose the rows of the others")
  void nulls() throws SQLException {
    var names = new ArrayList<@Nullable String>();
    query(
        RenderedSql.text(DSL.select(ROWS.get(NAME), ROWS.get(ID)).from(ROWS.writeSource())),
        List.of(new Sent("a", null, Instant.EPOCH), new Sent("b", null, Instant.EPOCH)),
        row -> names.add(row.getString(1)));
    assertThat(names).containsExactly("a", "b");
  }

  @Test
  @DisplayName("No row is selected where none was sent")
  void none() throws SQLException {
    var rows = new ArrayList<Integer>();
    query(
        RenderedSql.text(DSL.select(ROWS.number()).from(ROWS.table())),
        List.of(),
        row -> rows.add(row.getInt(1)));
    assertThat(rows).isEmpty();
  }

  private static void query(String statement, List<Sent> sent, Pipeline.Rows rows)
      throws SQLException {
    try (var connection = ledgers.database().dataSource().getConnection()) {
      var pipeline = new Pipeline(connection);
      pipeline.query(statement, ROWS.parameters(sent), rows);
      pipeline.run();
    }
  }
}
