package dev.hapax.postgres.definition;

import static dev.hapax.postgres.schema.Tables.DEFINITION;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RenderedSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jooq.impl.DSL;

/** Caches the definitions of runs. */
public final class DefinitionCache {
  private static final int MAX_STEPS = 50_000;

  private static final String FIND =
      RenderedSql.text(
          DSL.select(
                  DEFINITION.REGISTERED_AT,
                  DEFINITION.STEPS,
                  DEFINITION.TIMEOUT,
                  DEFINITION.LIMITS,
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
    return find(id, () -> new Pipeline(connection))
        .orElseThrow(() -> new IllegalStateException("definition not found: " + id));
  }

  /**
   * Returns a version, if it exists.
   *
   * @param pipelines used only for one that is not cached
   */
  Optional<Definition> find(DefinitionId id, Supplier<Pipeline> pipelines) throws SQLException {
    var known = cache.getIfPresent(id);
    if (known != null) {
      return Optional.of(known);
    }
    var found = new ArrayList<Definition>(1);
    var pipeline = pipelines.get();
    pipeline.query(
        FIND,
        List.of(id.workspace().name(), id.name(), id.version()),
        row -> found.add(DefinitionRows.definition(id, row)));
    pipeline.run();
    found.forEach(read -> cache.put(id, read));
    return found.stream().findFirst();
  }
}
