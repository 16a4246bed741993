-- run
SET lock_timeout = '100ms'; SET statement_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s';
SELECT 1;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_sort = off;
SELECT ctid FROM hapax.run_key WHERE ctid > ?::tid LIMIT 1;
SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off; SET LOCAL lock_timeout = '100ms';
SELECT workspace, hash, run_id FROM hapax.run_key k
WHERE ctid > ?::tid AND ctid < ?::tid AND expires_at <= now()
  AND NOT EXISTS (SELECT FROM hapax.run r WHERE r.workspace = k.workspace AND r.id = k.run_id) AND
(SELECT true FROM hapax.moved WHERE moved.workspace = k.workspace) IS NULL;
WITH locked AS (
  SELECT l.workspace, l.hash
  FROM unnest(?::text[], ?::uuid[], ?::uuid[]) f(workspace, hash, run_id), LATERAL (
    SELECT workspace, hash FROM hapax.run_key
    WHERE workspace = f.workspace AND hash = f.hash AND run_id = f.run_id
    FOR UPDATE SKIP LOCKED) l)
DELETE FROM hapax.run_key k USING locked l WHERE k.workspace = l.workspace AND k.hash = l.hash;
