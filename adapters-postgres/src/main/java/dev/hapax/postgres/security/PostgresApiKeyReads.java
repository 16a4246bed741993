package dev.hapax.postgres.security;

import static dev.hapax.postgres.schema.Tables.API_KEY;
import static dev.hapax.postgres.schema.Tables.API_KEY_REVISION;

import dev.hapax.domain.security.ApiKeyReads;
import dev.hapax.domain.security.ApiKeyRing;
import dev.hapax.domain.security.ApiKeyRow;
import dev.hapax.postgres.read.WideReads;
import java.sql.Connection;
import java.util.concurrent.CompletableFuture;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** Reads API keys. */
public final class PostgresApiKeyReads implements ApiKeyReads {
  private final WideReads reads;

  public PostgresApiKeyReads(WideReads reads) {
    this.reads = reads;
  }

  @Override
  public CompletableFuture<Long> revision() {
    return reads.submit(
        session ->
            sql(session.connection())
                .select(API_KEY_REVISION.REVISION)
                .from(API_KEY_REVISION)
                .fetchSingle()
                .value1());
  }

  /** One statement, so that the keys are those of the revision. */
  @Override
  public CompletableFuture<ApiKeyRing> live() {
    return reads.submit(
        session -> {
          var rows =
              sql(session.connection())
                  .select(API_KEY_REVISION.REVISION)
                  .select(API_KEY.fields())
                  .from(API_KEY_REVISION)
                  .leftJoin(API_KEY)
                  .on(
                      API_KEY.REVOKED_AT.isNull(),
                      API_KEY
                          .EXPIRES_AT
                          .isNull()
                          .or(API_KEY.EXPIRES_AT.gt(DSL.currentOffsetDateTime())))
                  .fetch();
          var keys =
              rows.stream()
                  .filter(row -> row.get(API_KEY.ID) != null)
                  .<ApiKeyRow>map(ApiKeyTable::read)
                  .toList();
          return new ApiKeyRing(rows.getFirst().get(API_KEY_REVISION.REVISION), keys);
        });
  }

  private static DSLContext sql(Connection connection) {
    return DSL.using(connection, SQLDialect.POSTGRES);
  }
}
