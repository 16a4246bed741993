-- backlog
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
SELECT count(*), extract(epoch FROM
    now() - min(due_at) FILTER (WHERE due_at > 'epoch')) * 1e6
FROM (
  SELECT CASE WHEN phase = 2 THEN until ELSE run.due_at END AS due_at
  FROM hapax.run, (SELECT now() - ? * interval '1 microsecond' AS late) t
  WHERE queue IS NULL AND run.due_at IS NOT NULL AND run.due_at < late
    -- a held task is due when its lease ends
    AND (phase <> 2 OR until < late)
  ORDER BY run.due_at LIMIT ?) s;
SELECT count(*), extract(epoch FROM now() - min(posted_at)) * 1e6
FROM (SELECT posted_at FROM hapax.inbox ORDER BY xid LIMIT ?) s;
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
WITH RECURSIVE g(workspace, status) AS (
  (SELECT workspace, status FROM hapax.run WHERE status <> 5
   ORDER BY workspace, status LIMIT 1)
  UNION ALL
  SELECT n.workspace, n.status FROM g, LATERAL (
    SELECT workspace, status FROM hapax.run
    WHERE status <> 5 AND (workspace, status) > (g.workspace, g.status)
    ORDER BY workspace, status LIMIT 1) n)
SELECT g.workspace, g.status, c.number
FROM (SELECT * FROM g LIMIT ?) g, LATERAL (
  SELECT count(*) AS number FROM (
    SELECT FROM hapax.run r
    WHERE r.workspace = g.workspace AND r.status = g.status AND r.status <> 5
    ORDER BY r.id LIMIT CASE WHEN g.status > 5 THEN ? ELSE ? END) s) c;
WITH RECURSIVE g(workspace) AS (
  (SELECT workspace FROM hapax.operation WHERE state = 2 ORDER BY workspace LIMIT 1)
  UNION ALL
  SELECT n.workspace FROM g, LATERAL (
    SELECT workspace FROM hapax.operation
    WHERE state = 2 AND workspace > g.workspace
    ORDER BY workspace LIMIT 1) n)
SELECT g.workspace, c.number
FROM (SELECT * FROM g LIMIT ?) g, LATERAL (
  SELECT count(*) AS number FROM (
    SELECT FROM hapax.operation o
    WHERE o.state = 2 AND o.workspace = g.workspace
    ORDER BY o.workspace LIMIT ?) s) c;
SELECT workspace, count(*) FROM (
  SELECT workspace FROM hapax.operation
  WHERE state = 1 AND until < now() - interval '1 minute' LIMIT ?) s
GROUP BY workspace LIMIT ?;
SELECT version, count(*) FROM hapax.live_node
GROUP BY version ORDER BY version LIMIT ?;

-- ready
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
WITH RECURSIVE g(workspace, queue) AS (
  (SELECT workspace, queue FROM hapax.run WHERE queue IS NOT NULL AND workspace = ?
   ORDER BY workspace, queue LIMIT 1)
  UNION ALL
  SELECT n.workspace, n.queue FROM g, LATERAL (
    SELECT workspace, queue FROM hapax.run
    WHERE queue IS NOT NULL AND workspace = ? AND (workspace, queue) > (g.workspace, g.queue)
    ORDER BY workspace, queue LIMIT 1) n)
SELECT g.workspace, g.queue, c.number, extract(epoch FROM now() - c.first) * 1e6
FROM (SELECT * FROM g LIMIT ?) g, LATERAL (
  SELECT count(*) AS number, min(due_at) AS first FROM (
    SELECT r.due_at FROM hapax.run r
    WHERE r.workspace = g.workspace AND r.queue = g.queue AND r.due_at <= now()
    ORDER BY r.due_at LIMIT ?) s) c
WHERE c.number > 0;

-- held
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
SELECT phase = 2 AND due_at IS NOT NULL AS held, worker, definition_name,
  definition_version, step, count(*) AS number, max(until) AS until
FROM (
  SELECT phase, due_at, worker, definition_name, definition_version, step, until
  FROM hapax.run
  WHERE workspace = ? AND status = ? AND status <> 5
  ORDER BY id DESC LIMIT ?) s
GROUP BY 1, worker, definition_name, definition_version, step;

-- runs
SELECT set_config('hapax.scope', ?, false);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
SELECT definition_name, count(*), count(*) FROM (
  SELECT definition_name FROM hapax.run
  WHERE workspace = ? AND status = ? AND status <> 5
  ORDER BY id DESC LIMIT ?) s
GROUP BY definition_name;
SELECT definition_name, count(*) FILTER (WHERE status = ?), count(*) FROM (
  SELECT definition_name, status FROM hapax.run
  WHERE workspace = ?
  ORDER BY id DESC LIMIT ?) s
GROUP BY definition_name;

-- database info
SELECT max(version::int), clock_timestamp(),
  (SELECT coalesce(min(features), 2147483647) FROM hapax.live_node)
FROM hapax.flyway_schema_history WHERE version IS NOT NULL AND success;
