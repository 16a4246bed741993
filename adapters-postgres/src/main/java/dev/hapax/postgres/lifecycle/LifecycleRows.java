package dev.hapax.postgres.lifecycle;

import static dev.hapax.postgres.schema.Tables.LIFECYCLE;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
import dev.hapax.domain.lifecycle.Retirement;
import dev.hapax.postgres.json.StoredJson;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.read.StoredPrincipal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jooq.Field;

/** Reads applied lifecycles from rows of {@code lifecycle}. */
final class LifecycleRows {
  /** All columns but the key. */
  static final List<Field<?>> LOADED =
      List.of(
          LIFECYCLE.VERSION,
          LIFECYCLE.APPLIED_AT,
          LIFECYCLE.APPLIED_BY,
          LIFECYCLE.APPLIED_BY_PRINCIPAL,
          LIFECYCLE.REASON,
          LIFECYCLE.RETIRING,
          LIFECYCLE.RETIRING_NONCE,
          LIFECYCLE.RETIRING_UNTIL);

  private final LifecycleCache lifecycles;

  LifecycleRows(LifecycleCache lifecycles) {
    this.lifecycles = lifecycles;
  }

  AppliedLifecycle applied(LifecycleId id, ResultSet found) throws SQLException {
    var row = new Row(found);
    var version = new LifecycleVersionId(id, row.number(LIFECYCLE.VERSION));
    return applied(lifecycles.get(version, row.connection()), row);
  }

  static AppliedLifecycle applied(Lifecycle lifecycle, Row row) throws SQLException {
    return new AppliedLifecycle(
        lifecycle,
        row.number(LIFECYCLE.VERSION),
        row.instant(LIFECYCLE.APPLIED_AT),
        new Attribution(
            row.text(LIFECYCLE.APPLIED_BY),
            row.text(LIFECYCLE.REASON),
            StoredPrincipal.read(row.row(), LIFECYCLE.APPLIED_BY_PRINCIPAL)),
        retiring(row));
  }

  private static Optional<Retirement> retiring(Row row) throws SQLException {
    var statuses = row.optionalText(LIFECYCLE.RETIRING);
    return statuses.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Retirement(
                Set.copyOf(StoredJson.strings(StoredJson.parse(statuses.get()))),
                row.number(LIFECYCLE.RETIRING_NONCE),
                row.instant(LIFECYCLE.RETIRING_UNTIL)));
  }
}
