package dev.hapax.postgres.restore;

import static dev.hapax.postgres.schema.Tables.NODE;

import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/** Reads what was under way in a restored database. */
record RestoredStateScan(DSLContext sql) {
  private static final int MAX_GRANTS = 100;

  /** Operations in progress, held tasks, and entities that are not free. */
  private static final String GRANTS =
      """
      SELECT 'operation' AS kind, workspace, operation || ' ' || request_id AS name, account AS holder, until
        FROM hapax.operation WHERE state = 1 AND pending_intent IS NULL
      UNION ALL
      SELECT 'task', workspace, hapax.print_id('run', id), worker, until
        FROM hapax.run WHERE phase = 2 AND pending_intent IS NULL
      UNION ALL
      SELECT CASE hold WHEN 2 THEN 'action' ELSE 'recovery' END, workspace, lifecycle || ' ' || id,
          CASE hold WHEN 2 THEN holder ELSE worker END, lease_until
        FROM hapax.entity WHERE hold <> 1 AND pending_intent IS NULL
      """;

  RestoredState read() {
    return new RestoredState(
        Optional.ofNullable(sql.select(DSL.max(NODE.SEEN_AT)).from(NODE).fetchSingle().value1())
            .map(OffsetDateTime::toInstant),
        sql.fetch(GRANTS + " ORDER BY 1, 2, 3 LIMIT " + MAX_GRANTS)
            .map(
                row ->
                    new OpenGrant(
                        row.get("kind", String.class),
                        row.get("workspace", String.class),
                        row.get("name", String.class),
                        Optional.ofNullable(row.get("holder", String.class)).orElse(""),
                        row.get("until", OffsetDateTime.class).toInstant())),
        grantCounts(),
        count("hapax.operation WHERE state = 2"),
        count("hapax.run WHERE phase IN (3, 4) AND signal IS NOT NULL"),
        count("hapax.inbox"),
        count(
            "hapax.api_key WHERE revoked_at IS NULL"
                + " AND coalesce(expires_at > clock_timestamp(), true)"));
  }

  private Map<String, Long> grantCounts() {
    var counts = new HashMap<String, Long>();
    sql.fetch("SELECT kind, count(*) FROM (" + GRANTS + ") AS grants GROUP BY kind")
        .forEach(row -> counts.put(row.get(0, String.class), row.get(1, Long.class)));
    return counts;
  }

  private long count(String rows) {
    return sql.fetchSingle("SELECT count(*) FROM " + rows).get(0, Long.class);
  }
}
