package dev.hapax.postgres.schema;

import static dev.hapax.postgres.schema.Tables.INSTALLATION;
import static dev.hapax.postgres.schema.Tables.RESTORATION;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;

/** What all nodes of a database share: its secret, the epoch of its last restore, its timeline. */
public final class Installation {
  private static final int SECRET_BYTES = 32;

  private Installation() {}

  /** Returns the secret for keyed ids; the first node draws it. */
  public static byte[] secret(Connection connection) throws SQLException {
    var drawn = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(drawn);
    return run(
        connection,
        sql -> {
          sql.insertInto(INSTALLATION, INSTALLATION.SECRET)
              .values(drawn)
              .onConflictDoNothing()
              .execute();
          return sql.select(INSTALLATION.SECRET).from(INSTALLATION).fetchSingle().value1();
        });
  }

  /** Returns the epoch that the last restore began; 0 = the database was never restored. */
  public static int epoch(Connection connection) throws SQLException {
    return run(
        connection,
        sql ->
            sql.select(DSL.coalesce(DSL.max(RESTORATION.EPOCH), DSL.inline(0)))
                .from(RESTORATION)
                .fetchSingle()
                .value1());
  }

  /** Returns the timeline that a server found last; 0 = none has, or the provider hides it. */
  public static int timeline(Connection connection) throws SQLException {
    return run(
        connection,
        sql ->
            sql.select(DSL.coalesce(DSL.max(INSTALLATION.TIMELINE), DSL.inline(0)))
                .from(INSTALLATION)
                .fetchSingle()
                .value1());
  }

  private static <T> T run(Connection connection, Function<DSLContext, T> statements)
      throws SQLException {
    try {
      return statements.apply(DSL.using(connection, SQLDialect.POSTGRES));
    } catch (DataAccessException e) {
      if (e.getCause() instanceof SQLException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
