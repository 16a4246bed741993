package dev.hapax.postgres.schema;

import static dev.hapax.postgres.schema.Tables.INSTALLATION;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;

/** The secret of a database, shared by all its nodes. */
public final class Installation {
  private static final int SECRET_BYTES = 32;

  private Installation() {}

  /** Returns the secret for keyed ids; the first node draws it. */
  public static byte[] secret(Connection connection) throws SQLException {
    var drawn = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(drawn);
    var sql = DSL.using(connection, SQLDialect.POSTGRES);
    try {
      sql.insertInto(INSTALLATION, INSTALLATION.SECRET)
          .values(drawn)
          .onConflictDoNothing()
          .execute();
      return sql.select(INSTALLATION.SECRET).from(INSTALLATION).fetchSingle().value1();
    } catch (DataAccessException e) {
      if (e.getCause() instanceof SQLException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
