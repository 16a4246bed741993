-- problems
SELECT set_config('hapax.scope', ?, false);
SELECT operation, count(*) AS number, sum(count(*)) OVER () >= 10000 AS truncated, min(at) AS first,
  max(at) AS last, count(*) FILTER (WHERE at > now() - interval '1 hour') AS recent
FROM (
  SELECT operation, until AS at FROM hapax.operation WHERE workspace = ? AND state = 2 LIMIT 10000
) s
GROUP BY operation
ORDER BY min(at)
LIMIT 200;
SELECT operation, count(*) AS number, sum(count(*)) OVER () >= 10000 AS truncated, min(at) AS first,
  max(at) AS last, count(*) FILTER (WHERE at > now() - interval '1 hour') AS recent
FROM (
  SELECT operation, until AS at
  FROM hapax.operation
  WHERE workspace = ? AND state = 1 AND until < now() - interval '1 minute'
  LIMIT 10000
) s
GROUP BY operation
ORDER BY min(at)
LIMIT 200;
SELECT lifecycle, action, count(*) AS number, sum(count(*)) OVER () >= 10000 AS truncated,
  min(at) AS first, max(at) AS last,
  count(*) FILTER (WHERE at > now() - interval '1 hour') AS recent
FROM (
  SELECT lifecycle, coalesce(action, '') AS action, lease_until AS at
  FROM hapax.entity
  WHERE workspace = ? AND hold <> 1 AND lease_until < now() - interval '1 minute'
  LIMIT 10000
) s
GROUP BY lifecycle, action
ORDER BY min(at)
LIMIT 200;
SELECT definition_name, definition_version, step, count(*) AS number,
  sum(count(*)) OVER () >= 10000 AS truncated, min(at) AS first, max(at) AS last,
  count(*) FILTER (WHERE at > now() - interval '1 hour') AS recent
FROM (
  SELECT definition_name, definition_version, step, coalesce(until, created_at) AS at
  FROM hapax.run
  WHERE workspace = ? AND phase = 2 AND due_at IS NULL
  LIMIT 10000
) s
GROUP BY definition_name, definition_version, step
ORDER BY min(at)
LIMIT 200;
SELECT verb, reason, count(*) AS number, sum(count(*)) OVER () >= 10000 AS truncated,
  min(at) AS first, max(at) AS last,
  count(*) FILTER (WHERE at > now() - interval '1 hour') AS recent
FROM (
  SELECT verb, reason, taken_at AS at
  FROM hapax.intent_outcome
  WHERE workspace = ? AND reason IS NOT NULL
  LIMIT 10000
) s
GROUP BY verb, reason
ORDER BY min(at)
LIMIT 200;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
WITH RECURSIVE g(name, version, step, code) AS (
  (
    SELECT definition_name, definition_version, step, failure_code
    FROM hapax.run
    WHERE workspace = ? AND status = 6
    ORDER BY definition_name, definition_version, step, failure_code
    LIMIT 1
  )
  UNION ALL
  SELECT n.*
  FROM g,
    LATERAL (
      SELECT definition_name, definition_version, step, failure_code
      FROM hapax.run
      WHERE workspace = ? AND status = 6
        AND (definition_name, definition_version, step, failure_code) > (
          g.name, g.version, g.step, g.code
        )
      ORDER BY definition_name, definition_version, step, failure_code
      LIMIT 1
    ) n
)
SELECT g.name, g.version, g.step, g.code, c.number, c.number >= 1000 AS truncated, c.first, l.last,
  h.number AS recent
FROM (SELECT * FROM g LIMIT 200) g,
  LATERAL (
    SELECT count(*) AS number, min(until) AS first
    FROM (
      SELECT until
      FROM hapax.run
      WHERE workspace = ? AND status = 6 AND definition_name = g.name
        AND definition_version = g.version AND step = g.step AND failure_code = g.code
      ORDER BY until
      LIMIT 1000
    ) s
  ) c,
  LATERAL (
    SELECT until AS last
    FROM hapax.run
    WHERE workspace = ? AND status = 6 AND definition_name = g.name
      AND definition_version = g.version AND step = g.step AND failure_code = g.code
    ORDER BY until DESC
    LIMIT 1
  ) l,
  LATERAL (
    SELECT count(*) AS number
    FROM (
      SELECT
      FROM hapax.run
      WHERE workspace = ? AND status = 6 AND definition_name = g.name
        AND definition_version = g.version AND step = g.step AND failure_code = g.code
        AND until > now() - interval '1 hour'
      ORDER BY until
      LIMIT 1000
    ) s
  ) h;
SELECT EXISTS (SELECT FROM hapax.definition WHERE workspace = ?)
  OR EXISTS (SELECT FROM hapax.operation WHERE workspace = ?)
  OR EXISTS (SELECT FROM hapax.operation_result WHERE workspace = ?)
  OR EXISTS (SELECT FROM hapax.run WHERE workspace = ?)
  OR EXISTS (SELECT FROM hapax.lifecycle WHERE workspace = ?)
  OR EXISTS (SELECT FROM hapax.entity WHERE workspace = ?)
  OR EXISTS (SELECT FROM hapax.janitor WHERE workspace = ?);

-- servers
SELECT id, version, started_at, seen_at,
  seen_at > clock_timestamp() - interval '60 seconds' AS running, coalesce(cells, '{}') AS cells
FROM hapax.node
WHERE seen_at > clock_timestamp() - interval '1 day'
ORDER BY started_at
LIMIT ?;
