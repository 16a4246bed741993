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
  seen_at > clock_timestamp() - interval '60 seconds' AS running, coalesce(cells, '{}') AS cells,
  facts
FROM hapax.node
WHERE seen_at > clock_timestamp() - interval '1 day'
ORDER BY started_at
LIMIT ?;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
SELECT count(*), extract(epoch FROM now() - min(posted_at)) * 1e6
FROM (SELECT posted_at FROM hapax.inbox ORDER BY xid LIMIT ?) s;

-- workspaces
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
WITH RECURSIVE g(workspace) AS (
  SELECT ?::text COLLATE "C"
  UNION ALL
  SELECT least(
    (
      SELECT t.workspace
      FROM hapax.definition t
      WHERE t.workspace > g.workspace
      ORDER BY t.workspace
      LIMIT 1
    ),
      (
        SELECT t.workspace
        FROM hapax.operation t
        WHERE t.workspace > g.workspace
        ORDER BY t.workspace
        LIMIT 1
      ),
      (
        SELECT t.workspace
        FROM hapax.operation_result t
        WHERE t.workspace > g.workspace
        ORDER BY t.workspace
        LIMIT 1
      ),
      (
        SELECT t.workspace
        FROM hapax.run t
        WHERE t.workspace > g.workspace
        ORDER BY t.workspace
        LIMIT 1
      ),
      (
        SELECT t.workspace
        FROM hapax.lifecycle t
        WHERE t.workspace > g.workspace
        ORDER BY t.workspace
        LIMIT 1
      ),
      (
        SELECT t.workspace
        FROM hapax.entity t
        WHERE t.workspace > g.workspace
        ORDER BY t.workspace
        LIMIT 1
      ),
      (
        SELECT t.workspace
        FROM hapax.janitor t
        WHERE t.workspace > g.workspace
        ORDER BY t.workspace
        LIMIT 1
      ),
      (
        SELECT t.workspace
        FROM hapax.placement t
        WHERE t.workspace > g.workspace
        ORDER BY t.workspace
        LIMIT 1
      )
  )::text
  FROM g
  WHERE g.workspace IS NOT NULL
)
SELECT g.workspace,
  (
    SELECT count(*)
    FROM (SELECT FROM hapax.run t WHERE t.workspace = g.workspace AND t.status = 6 LIMIT 1000) s
  ) AS failed,
  (
    SELECT count(*)
    FROM (SELECT FROM hapax.operation t WHERE t.workspace = g.workspace AND t.state = 2 LIMIT 1000) s
  ) AS operations_in_doubt,
  (
    SELECT count(*)
    FROM (
      SELECT
      FROM hapax.run t
      WHERE t.workspace = g.workspace AND t.phase = 2 AND t.due_at IS NULL
      LIMIT 1000
    ) s
  ) AS steps_in_doubt,
  (
    SELECT count(*)
    FROM (
      SELECT
      FROM hapax.operation t
      WHERE t.workspace = g.workspace AND t.state = 1 AND t.until < now() - interval '1 minute'
      LIMIT 1000
    ) s
  ) AS operations_abandoned,
  (
    SELECT count(*)
    FROM (
      SELECT
      FROM hapax.entity t
      WHERE t.workspace = g.workspace AND t.hold <> 1
        AND t.lease_until < now() - interval '1 minute'
      LIMIT 1000
    ) s
  ) AS entities_abandoned
FROM (SELECT workspace FROM g WHERE workspace IS NOT NULL OFFSET 1 LIMIT ?) g;
WITH RECURSIVE g(workspace, queue) AS (
  (SELECT workspace, queue FROM hapax.run WHERE queue IS NOT NULL 
   ORDER BY workspace, queue LIMIT 1)
  UNION ALL
  SELECT n.workspace, n.queue FROM g, LATERAL (
    SELECT workspace, queue FROM hapax.run
    WHERE queue IS NOT NULL  AND (workspace, queue) > (g.workspace, g.queue)
    ORDER BY workspace, queue LIMIT 1) n)
SELECT g.workspace, g.queue, c.number, extract(epoch FROM now() - c.first) * 1e6
FROM (SELECT * FROM g LIMIT ?) g, LATERAL (
  SELECT count(*) AS number, min(due_at) AS first FROM (
    SELECT r.due_at FROM hapax.run r
    WHERE r.workspace = g.workspace AND r.queue = g.queue AND r.due_at <= now()
    ORDER BY r.due_at LIMIT ?) s) c
WHERE c.number > 0;
SELECT h.workspace, q.queue, sum(h.number)
FROM (
  SELECT workspace, definition_name, definition_version, step, count(*) AS number
  FROM (
    SELECT workspace, definition_name, definition_version, step, phase FROM hapax.run
    WHERE queue IS NULL AND due_at IS NOT NULL AND due_at > 'epoch'
    ORDER BY due_at LIMIT ?) s
  WHERE phase = 2
  GROUP BY workspace, definition_name, definition_version, step LIMIT ?) h,
LATERAL (
  -- the order is that of the key: equality alone may scan another index before statistics
  SELECT workspace, name, version, steps::json -> h.step AS step FROM hapax.definition
  WHERE (workspace, name, version) >= (h.workspace, h.definition_name, h.definition_version)
  ORDER BY workspace, name, version LIMIT 1) d,
LATERAL (SELECT coalesce(d.step -> 'task', d.step -> 'code') ->> 'queue' AS queue) q
WHERE (d.workspace, d.name, d.version)
    = (h.workspace, h.definition_name, h.definition_version)
  AND q.queue IS NOT NULL
GROUP BY h.workspace, q.queue;

-- named workspaces
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
SELECT g.workspace,
  (
    SELECT count(*)
    FROM (SELECT FROM hapax.run t WHERE t.workspace = g.workspace AND t.status = 6 LIMIT 1000) s
  ) AS failed,
  (
    SELECT count(*)
    FROM (SELECT FROM hapax.operation t WHERE t.workspace = g.workspace AND t.state = 2 LIMIT 1000) s
  ) AS operations_in_doubt,
  (
    SELECT count(*)
    FROM (
      SELECT
      FROM hapax.run t
      WHERE t.workspace = g.workspace AND t.phase = 2 AND t.due_at IS NULL
      LIMIT 1000
    ) s
  ) AS steps_in_doubt,
  (
    SELECT count(*)
    FROM (
      SELECT
      FROM hapax.operation t
      WHERE t.workspace = g.workspace AND t.state = 1 AND t.until < now() - interval '1 minute'
      LIMIT 1000
    ) s
  ) AS operations_abandoned,
  (
    SELECT count(*)
    FROM (
      SELECT
      FROM hapax.entity t
      WHERE t.workspace = g.workspace AND t.hold <> 1
        AND t.lease_until < now() - interval '1 minute'
      LIMIT 1000
    ) s
  ) AS entities_abandoned
FROM (
  SELECT workspace
  FROM unnest(string_to_array(?, ',')) workspace
  WHERE workspace COLLATE "C" > ?
  ORDER BY workspace COLLATE "C"
  LIMIT ?
) g;
WITH RECURSIVE g(workspace, queue) AS (
  (SELECT workspace, queue FROM hapax.run WHERE queue IS NOT NULL 
   ORDER BY workspace, queue LIMIT 1)
  UNION ALL
  SELECT n.workspace, n.queue FROM g, LATERAL (
    SELECT workspace, queue FROM hapax.run
    WHERE queue IS NOT NULL  AND (workspace, queue) > (g.workspace, g.queue)
    ORDER BY workspace, queue LIMIT 1) n)
SELECT g.workspace, g.queue, c.number, extract(epoch FROM now() - c.first) * 1e6
FROM (SELECT * FROM g LIMIT ?) g, LATERAL (
  SELECT count(*) AS number, min(due_at) AS first FROM (
    SELECT r.due_at FROM hapax.run r
    WHERE r.workspace = g.workspace AND r.queue = g.queue AND r.due_at <= now()
    ORDER BY r.due_at LIMIT ?) s) c
WHERE c.number > 0;
SELECT h.workspace, q.queue, sum(h.number)
FROM (
  SELECT workspace, definition_name, definition_version, step, count(*) AS number
  FROM (
    SELECT workspace, definition_name, definition_version, step, phase FROM hapax.run
    WHERE queue IS NULL AND due_at IS NOT NULL AND due_at > 'epoch'
    ORDER BY due_at LIMIT ?) s
  WHERE phase = 2
  GROUP BY workspace, definition_name, definition_version, step LIMIT ?) h,
LATERAL (
  -- the order is that of the key: equality alone may scan another index before statistics
  SELECT workspace, name, version, steps::json -> h.step AS step FROM hapax.definition
  WHERE (workspace, name, version) >= (h.workspace, h.definition_name, h.definition_version)
  ORDER BY workspace, name, version LIMIT 1) d,
LATERAL (SELECT coalesce(d.step -> 'task', d.step -> 'code') ->> 'queue' AS queue) q
WHERE (d.workspace, d.name, d.version)
    = (h.workspace, h.definition_name, h.definition_version)
  AND q.queue IS NOT NULL
GROUP BY h.workspace, q.queue;
