package dev.hapax.postgres.cell;

import dev.hapax.postgres.schema.TableTransaction;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongConsumer;
import org.jooq.impl.DSL;
import org.postgresql.PGConnection;
import org.postgresql.copy.PGCopyInputStream;

/** Copies the rows of a workspace from one cell to another with COPY, all or none. */
record RowCopy(WorkspaceRows source, WorkspaceRows target) {
  /** Copies them; returns their number. The source must not change meanwhile. */
  long run(LongConsumer progress) throws SQLException, IOException {
    List<String> tables =
        TableTransaction.run(
            source.database(),
            sql ->
                WorkspaceRows.tables(sql).stream().map(WorkspaceRows.RecordTable::name).toList());
    try (var from = source.database().getConnection();
        var to = target.database().getConnection()) {
      ResultDays.createAsIn(source.database(), target.database());
      to.setAutoCommit(false);
      var copied = 0L;
      for (var table : tables) {
        copied += copy(table, from, to);
        progress.accept(copied);
      }
      to.commit();
      return copied;
    }
  }

  private long copy(String table, Connection from, Connection to) throws SQLException, IOException {
    var columns = columns(table, from);
    var rows =
        "COPY (SELECT %s FROM hapax.%s WHERE workspace = %s) TO STDOUT"
            .formatted(columns, table, DSL.inline(source.workspace().name()));
    try (var stream = new PGCopyInputStream(from.unwrap(PGConnection.class), rows)) {
      return to.unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn("COPY hapax.%s (%s) FROM STDIN".formatted(table, columns), stream);
    }
  }

  private static String columns(String table, Connection connection) throws SQLException {
    var all =
        """
      SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
      WHERE attrelid = 'hapax.%s'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''\
      """
            .formatted(table);
    try (var statement = connection.createStatement();
        var row = statement.executeQuery(all)) {
      row.next();
      return row.getString(1);
    }
  }
}
