package dev.hapax.postgres.definition;

import static dev.hapax.postgres.schema.Tables.DEFINITION;

import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.postgres.ledger.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Definitions that runs of this node go by. They never change, so what was read once stays true.
 */
public final class Definitions {
  /** What is kept at most; one that was not asked for longest goes first. */
  private static final int MAX_STEPS = 50_000;

  private static final String FIND =
      Sql.text(
          DSL.select(DEFINITION.REGISTERED_AT, DEFINITION.STEPS)
              .from(DEFINITION)
              .where(
                  DEFINITION.WORKSPACE.eq((String) null),
                  DEFINITION.NAME.eq((String) null),
                  DEFINITION.VERSION.eq((String) null)));

  private final SequencedMap<DefinitionId, Definition> known = new LinkedHashMap<>(16, 0.75f, true);
  private int steps;

  /**
   * The definition of a run that is there.
   *
   * @param connection asked only for one that is not known, in the transaction it is in
   */
  public Definition of(DefinitionId id, Connection connection) throws SQLException {
    var found = known(id);
    return found == null
        ? find(id, connection).orElseThrow(() -> new IllegalStateException("no " + id))
        : found;
  }

  Optional<Definition> find(DefinitionId id, Connection connection) throws SQLException {
    var found = known(id);
    if (found != null) {
      return Optional.of(found);
    }
    try (var statement = connection.prepareStatement(FIND)) {
      statement.setString(1, id.workspace().name());
      statement.setString(2, id.name());
      statement.setString(3, id.version());
      try (var rows = statement.executeQuery()) {
        return rows.next()
            ? Optional.of(known(DefinitionRows.definition(id, rows)))
            : Optional.empty();
      }
    }
  }

  private synchronized @Nullable Definition known(DefinitionId id) {
    return known.get(id);
  }

  private synchronized Definition known(Definition found) {
    var before = known.put(found.id(), found);
    steps += found.steps().size() - (before == null ? 0 : before.steps().size());
    while (steps > MAX_STEPS) {
      steps -= known.pollFirstEntry().getValue().steps().size();
    }
    return found;
  }
}
