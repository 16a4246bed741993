package dev.hapax.postgres.janitor;

import static dev.hapax.postgres.schema.Tables.JANITOR;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.StoredPrincipal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;

/** The columns of {@code janitor}. */
final class JanitorColumns {
  private JanitorColumns() {}

  /** The key of both tables. */
  static <R> List<Column<R>> key(Function<R, JanitorId> id) {
    return List.of(
        new Column<>(
            JANITOR.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(JANITOR.MODULE.getName(), Kind.TEXT, row -> id.apply(row).module()));
  }

  static <R> List<Column<R>> all(Function<R, Janitor> janitor) {
    return List.of(
        new Column<>(
            JANITOR.DECLARED_AT.getName(), Kind.INSTANT, row -> janitor.apply(row).declaredAt()),
        new Column<>(
            JANITOR.DECLARED_BY.getName(), Kind.TEXT, row -> janitor.apply(row).by().actor()),
        new Column<>(
            JANITOR.DECLARED_BY_PRINCIPAL.getName(),
            Kind.TEXT,
            row -> StoredPrincipal.text(janitor.apply(row).by().principal())),
        new Column<>(JANITOR.REASON.getName(), Kind.TEXT, row -> janitor.apply(row).by().reason()),
        new Column<>(
            JANITOR.CONTRACT.getName(),
            Kind.TEXT,
            row -> janitor.apply(row).contract().map(JanitorJson::print).orElse(null)),
        new Column<>(
            JANITOR.DEMANDS.getName(),
            Kind.TEXT,
            row -> JanitorJson.print(janitor.apply(row).demands())));
  }

  static Janitor read(JanitorId id, ResultSet found) throws SQLException {
    var row = new Row(found);
    return new Janitor(
        row.optionalText(JANITOR.CONTRACT).map(text -> JanitorJson.contract(id.module(), text)),
        row.instant(JANITOR.DECLARED_AT),
        JanitorJson.demands(id.module(), row.text(JANITOR.DEMANDS)),
        new Attribution(
            row.text(JANITOR.DECLARED_BY),
            row.text(JANITOR.REASON),
            StoredPrincipal.read(found, JANITOR.DECLARED_BY_PRINCIPAL)));
  }
}
