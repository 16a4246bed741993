package dev.hapax.postgres.definition;

import static dev.hapax.postgres.schema.Tables.DEFINITION;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.postgres.json.StoredJson;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.StoredPrincipal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Reads definitions from rows. */
final class DefinitionRows {
  private DefinitionRows() {}

  static Definition definition(DefinitionId id, ResultSet found) throws SQLException {
    var row = new Row(found);
    return new Definition(
        id,
        StepsText.parse(row.text(DEFINITION.STEPS)),
        row.optionalNumber(DEFINITION.TIMEOUT).map(Micros::duration),
        row.optionalText(DEFINITION.LIMITS)
            .map(text -> StepsText.limits(StoredJson.parse(text)))
            .orElse(List.of()),
        row.instant(DEFINITION.REGISTERED_AT),
        new Attribution(
            row.text(DEFINITION.REGISTERED_BY),
            row.text(DEFINITION.REASON),
            StoredPrincipal.read(found, DEFINITION.REGISTERED_BY_PRINCIPAL)));
  }
}
