-- run
SET lock_timeout = '100ms'; SET statement_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s';
SELECT 1;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
SELECT ctid FROM hapax.run WHERE ctid > ?::tid LIMIT 1;
SELECT workspace, id, version, ctid
FROM hapax.run
WHERE ctid > ?::tid AND ctid < ?::tid AND phase >= 6
  AND until < now() - 86400000000 * interval '1 microsecond'
  AND (
    remembered_until <= now() AND until
      + coalesce(token_retention, 0) * interval '1 microsecond' <= now()
  ) AND (SELECT true FROM hapax.moved WHERE moved.workspace = run.workspace) IS NULL
ORDER BY ctid;
SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off; SET LOCAL lock_timeout = '100ms';
SELECT r.workspace, r.id
FROM unnest(?::text[], ?::uuid[]) k(workspace, id),
  LATERAL (
    SELECT workspace, id
    FROM hapax.run
    WHERE workspace = k.workspace AND id = k.id AND phase >= 6
      AND until < now() - 86400000000 * interval '1 microsecond'
      AND (
        remembered_until <= now() AND until
          + coalesce(token_retention, 0) * interval '1 microsecond' <= now()
      ) AND (SELECT true FROM hapax.moved WHERE moved.workspace = run.workspace) IS NULL
    FOR UPDATE SKIP LOCKED
  ) r;
WITH had AS (SELECT DISTINCT l.workspace, l.id AS run_id, h.hook
FROM unnest(?::text[], ?::uuid[]) l(workspace, id), LATERAL (
  SELECT e.hook FROM hapax.run_event e
  WHERE e.workspace = l.workspace AND e.run_id = l.id AND e.type = 18
  UNION ALL SELECT unnest(line_hashes) FROM hapax.run r
  WHERE r.workspace = l.workspace AND r.id = l.id) h), seen AS MATERIALIZED (
  SELECT s.workspace, s.hash, s.run_id, s.last_turn FROM had, LATERAL (
    SELECT workspace, hash, run_id, last_turn FROM hapax.hook
    WHERE workspace = had.workspace AND hash = had.hook AND run_id = had.run_id LIMIT 1) s
  WHERE NOT EXISTS (SELECT FROM hapax.place p
    WHERE p.workspace = s.workspace AND p.hash = s.hash)
), locked AS (
  SELECT l.workspace, l.hash FROM seen, LATERAL (
    SELECT workspace, hash FROM hapax.hook
    WHERE workspace = seen.workspace AND hash = seen.hash AND run_id = seen.run_id
      AND last_turn IS NOT DISTINCT FROM seen.last_turn
    FOR UPDATE SKIP LOCKED) l)
DELETE FROM hapax.hook h USING locked l WHERE h.workspace = l.workspace AND h.hash = l.hash;
WITH had AS (SELECT DISTINCT l.workspace, l.id AS run_id, h.hook
FROM unnest(?::text[], ?::uuid[]) l(workspace, id), LATERAL (
  SELECT e.hook FROM hapax.run_event e
  WHERE e.workspace = l.workspace AND e.run_id = l.id AND e.type = 18
  UNION ALL SELECT unnest(line_hashes) FROM hapax.run r
  WHERE r.workspace = l.workspace AND r.id = l.id) h)
DELETE FROM hapax.run d USING unnest(?::text[], ?::uuid[]) r(workspace, id)
WHERE d.workspace = r.workspace AND d.id = r.id
  AND NOT EXISTS (SELECT FROM had JOIN hapax.hook h
    ON h.workspace = had.workspace AND h.hash = had.hook AND h.run_id = had.run_id
    WHERE had.workspace = d.workspace AND had.run_id = d.id)
RETURNING d.workspace, d.id, d.labels;
DELETE FROM hapax.run_event d USING unnest(?::text[], ?::uuid[]) r(workspace, id)
WHERE d.workspace = r.workspace AND d.run_id = r.id;
DELETE FROM hapax.run_signal d USING unnest(?::text[], ?::uuid[]) r(workspace, id)
WHERE d.workspace = r.workspace AND d.run_id = r.id;
DELETE FROM hapax.run_step d USING unnest(?::text[], ?::uuid[]) r(workspace, id)
WHERE d.workspace = r.workspace AND d.run_id = r.id;
DELETE FROM hapax.run_label d
USING unnest(?::text[], ?::uuid[], ?::text[]) r(workspace, id, labels),
  LATERAL json_each_text(r.labels::json) l
WHERE d.workspace = r.workspace AND d.name = l.key AND d.value = l.value AND d.run_id = r.id;
