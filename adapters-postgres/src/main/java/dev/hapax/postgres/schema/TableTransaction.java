package dev.hapax.postgres.schema;

import java.io.IOException;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;

/** Runs the statements of a command in one transaction, without the ledger. */
public final class TableTransaction {
  private TableTransaction() {}

  /** The statements. */
  public interface Statements<T> {
    T run(DSLContext sql) throws IOException;
  }

  /** Runs the statements and commits; an exception rolls them back. */
  public static <T> T run(DataSource database, Statements<T> statements)
      throws SQLException, IOException {
    try (var connection = database.getConnection()) {
      connection.setAutoCommit(false);
      var result = statements.run(DSL.using(connection, SQLDialect.POSTGRES));
      connection.commit();
      return result;
    } catch (DataAccessException e) {
      throw e.getCause() instanceof SQLException cause ? cause : new SQLException(e);
    }
  }
}
