package dev.hapax.postgres.read;

import dev.hapax.domain.TimeRange;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Set;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** Conditions for the filters of lists. */
public final class ListFilter {
  private ListFilter() {}

  /**
   * Whether the field has one of these names; true if there are none. The names are one array: the
   * statement has the same text for any number of them.
   */
  public static Condition isOneOf(Set<String> names, Field<String> field) {
    return names.isEmpty()
        ? DSL.trueCondition()
        : DSL.condition("{0} = ANY ({1})", field, DSL.val(names.toArray(String[]::new)));
  }

  public static Condition isIn(TimeRange range, Field<OffsetDateTime> time) {
    return DSL.and(
        range
            .from()
            .map(from -> time.ge(from.atOffset(ZoneOffset.UTC)))
            .orElse(DSL.trueCondition()),
        range
            .before()
            .map(end -> time.lt(end.atOffset(ZoneOffset.UTC)))
            .orElse(DSL.trueCondition()));
  }
}
