package dev.hapax.postgres.definition;

import static dev.hapax.postgres.schema.Tables.DEFINITION;

import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.read.WeightedCache;
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
                  DEFINITION.REASON)
              .from(DEFINITION)
              .where(
                  DEFINITION.WORKSPACE.eq((String) null),
                  DEFINITION.NAME.eq((String) null),
                  DEFINITION.VERSION.eq((String) null)));

  private final WeightedCache<DefinitionId, Definition> cache =
      new WeightedCache<>(MAX_STEPS, definition -> definition.steps().size());

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
    var found = cache.find(id);
    if (found.isPresent()) {
      return found;
    }
    try (var statement = connection.prepareStatement(FIND)) {
      statement.setString(1, id.workspace().name());
      statement.setString(2, id.name());
      statement.setString(3, id.version());
      try (var rows = statement.executeQuery()) {
        return rows.next()
            ? Optional.of(cache.put(id, DefinitionRows.definition(id, rows)))
            : Optional.empty();
      }
    }
  }
}
