package dev.hapax.postgres.security;

import static dev.hapax.postgres.schema.Tables.API_KEY;
import static dev.hapax.postgres.schema.Tables.API_KEY_REVISION;
import static dev.hapax.postgres.schema.Tables.API_KEY_USE;

import dev.hapax.domain.security.ApiKeyRow;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.domain.security.SecretHash;
import dev.hapax.domain.security.StoredApiKey;
import dev.hapax.domain.security.UnreadableApiKey;
import dev.hapax.postgres.schema.TableTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The table of API keys, for the commands that change it. */
public final class ApiKeyTable {
  private final DSLContext sql;

  private ApiKeyTable(DSLContext sql) {
    this.sql = sql;
  }

  /** Work on the table. */
  public interface Work<T> {
    T on(ApiKeyTable keys) throws IOException;
  }

  /** Does the work in one transaction. */
  public static <T> T inTransaction(DataSource database, Work<T> work)
      throws SQLException, IOException {
    return TableTransaction.run(database, sql -> work.on(new ApiKeyTable(sql)));
  }

  /** The database's clock. */
  public Instant now() {
    return sql.select(DSL.currentOffsetDateTime()).fetchSingle().value1().toInstant();
  }

  public void insert(StoredApiKey key) {
    raiseRevision();
    sql.insertInto(API_KEY)
        .set(API_KEY.ID, key.id())
        .set(API_KEY.SECRET_HASH, key.secretHash().hex())
        .set(API_KEY.PRINCIPAL, key.principal().name())
        .set(
            API_KEY.GRANTS,
            key.principal().grants().stream().map(RoleGrant::toString).toArray(String[]::new))
        .set(API_KEY.CREATED_AT, utc(key.createdAt()))
        .set(API_KEY.CREATED_BY, key.createdBy())
        .set(API_KEY.EXPIRES_AT, key.expiresAt().map(ApiKeyTable::utc).orElse(null))
        .execute();
  }

  /** All keys, by principal and age. */
  public List<ApiKeyRow> list() {
    return sql.selectFrom(API_KEY)
        .orderBy(API_KEY.PRINCIPAL, API_KEY.CREATED_AT, API_KEY.ID)
        .fetch(ApiKeyTable::read);
  }

  /** The hours in which keys were last used, by id. */
  public Map<String, Instant> lastUses() {
    return sql.selectFrom(API_KEY_USE)
        .fetchMap(
            row -> row.get(API_KEY_USE.ID), row -> row.get(API_KEY_USE.LAST_USED_AT).toInstant());
  }

  /** The key with this id, locked until the end of the transaction. */
  public Optional<ApiKeyRow> lock(String id) {
    return sql.selectFrom(API_KEY)
        .where(API_KEY.ID.eq(id))
        .forUpdate()
        .fetchOptional(ApiKeyTable::read);
  }

  public void revoke(String id, Instant at) {
    raiseRevision();
    sql.update(API_KEY).set(API_KEY.REVOKED_AT, utc(at)).where(API_KEY.ID.eq(id)).execute();
  }

  public void expire(String id, Instant at) {
    raiseRevision();
    sql.update(API_KEY).set(API_KEY.EXPIRES_AT, utc(at)).where(API_KEY.ID.eq(id)).execute();
  }

  /** Servers read the keys again when the revision differs. */
  private void raiseRevision() {
    sql.update(API_KEY_REVISION)
        .set(API_KEY_REVISION.REVISION, API_KEY_REVISION.REVISION.plus(1))
        .execute();
  }

  private static OffsetDateTime utc(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }

  /** Reads a row; another version may have written what this one does not know. */
  static ApiKeyRow read(Record row) {
    var id = row.get(API_KEY.ID);
    var owner = row.get(API_KEY.PRINCIPAL);
    var createdAt = row.get(API_KEY.CREATED_AT).toInstant();
    var expiresAt = instant(row.get(API_KEY.EXPIRES_AT));
    var revokedAt = instant(row.get(API_KEY.REVOKED_AT));
    try {
      return new StoredApiKey(
          id,
          SecretHash.parse(row.get(API_KEY.SECRET_HASH)),
          new Principal(
              Principal.Kind.API_KEY,
              owner,
              Stream.of(row.get(API_KEY.GRANTS))
                  .map(grant -> RoleGrant.parse(String.valueOf(grant)))
                  .toList()),
          createdAt,
          row.get(API_KEY.CREATED_BY),
          expiresAt,
          revokedAt);
    } catch (IllegalArgumentException e) {
      return new UnreadableApiKey(
          id, owner, createdAt, expiresAt, revokedAt, String.valueOf(e.getMessage()));
    }
  }

  private static Optional<Instant> instant(@Nullable OffsetDateTime time) {
    return Optional.ofNullable(time).map(OffsetDateTime::toInstant);
  }
}
