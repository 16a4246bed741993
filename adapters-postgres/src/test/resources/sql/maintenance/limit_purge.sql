-- run
SET lock_timeout = '100ms'; SET statement_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s';
SELECT 1;
DELETE FROM hapax.slot
WHERE ctid = ANY (ARRAY(
  SELECT s.ctid FROM hapax.slot s
  WHERE (SELECT true FROM hapax.run r
    WHERE r.workspace = s.workspace AND r.id = s.run_id AND
      (r.phase IN (1, 2) AND r.turn = s.turn AND s.hash = ANY (r.limit_hashes)
      OR r.definition_turn = s.turn AND s.hash = ANY (r.definition_hashes)) LIMIT 1) IS NULL
    AND (SELECT true FROM hapax.moved WHERE moved.workspace = s.workspace) IS NULL
  LIMIT ?));
SELECT l.workspace, l.hash
FROM hapax.limit_line l
WHERE l.last_turn < extract(epoch FROM now() - interval '7 days') * 1000000
  AND (SELECT true FROM hapax.slot s WHERE s.workspace = l.workspace AND s.hash = l.hash LIMIT 1) IS NULL
  AND (SELECT true FROM hapax.place p WHERE p.workspace = l.workspace AND p.hash = l.hash LIMIT 1) IS NULL
  AND (SELECT true FROM hapax.moved WHERE moved.workspace = l.workspace) IS NULL
LIMIT ?
FOR UPDATE OF l SKIP LOCKED;
DELETE FROM hapax.limit_line l USING unnest(?::varchar[], ?::uuid[]) u(workspace, hash)
WHERE l.workspace = u.workspace AND l.hash = u.hash
  AND (SELECT true FROM hapax.slot s WHERE s.workspace = l.workspace AND s.hash = l.hash LIMIT 1) IS NULL
  AND (SELECT true FROM hapax.place p WHERE p.workspace = l.workspace AND p.hash = l.hash LIMIT 1) IS NULL;
