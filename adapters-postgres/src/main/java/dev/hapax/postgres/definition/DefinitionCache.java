package dev.hapax.postgres.definition;

import static dev.hapax.postgres.schema.Tables.DEFINITION;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.postgres.ledger.RenderedSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jooq.impl.DSL;

/** Caches the definitions of runs. */
public final class DefinitionCache {
  private static final int MAX_STEPS = 50_000;

  private static final String FIND =
      RenderedSql.text(
          DSL.select(
                  DEFINITION.REGISTERED_AT,
                  DEFINITION.STEPS,
                  DEFINITION.REGISTERED_BY,
                  DEFINITION.REGISTERED_BY_PRINCIPAL,
                  DEFINITION.REASON)
              .from(DEFINITION)
              .where(
                  DEFINITION.WORKSPACE.eq((String) null),
                  DEFINITION.NAME.eq((String) null),
                  DEFINITION.VERSION.eq((String) null)));

  // a registered definition never changes; no thread of the cache's own
  private final Cache<DefinitionId, Definition> cache =
      Caffeine.newBuilder()
          .maximumWeight(MAX_STEPS)
          .weigher((DefinitionId _, Definition definition) -> definition.steps().size())
          .executor(Runnable::run)
          .build();

  /**
   * Returns a definition that must exist.
   *
   * @param connection used only for one that is not cached, in its current transaction
   */
  public Definition get(DefinitionId id, Connection connection) throws SQLException {
    return find(id, connection)
        .orElseThrow(() -> new IllegalStateException("definition not found: " + id));
  }

  Optional<Definition> find(DefinitionId id, Connection connection) throws SQLException {
    var found = cache.getIfPresent(id);
    if (found != null) {
      return Optional.of(found);
    }
    try (var statement = connection.prepareStatement(FIND)) {
      statement.setString(1, id.workspace().name());
      statement.setString(2, id.name());
      statement.setString(3, id.version());
      try (var rows = statement.executeQuery()) {
        if (!rows.next()) {
          return Optional.empty();
        }
        var read = DefinitionRows.definition(id, rows);
        cache.put(id, read);
        return Optional.of(read);
      }
    }
  }
}
