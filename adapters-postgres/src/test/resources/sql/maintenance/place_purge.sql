-- run
SET lock_timeout = '100ms'; SET statement_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s';
SELECT 1;
DELETE FROM hapax.place
WHERE ctid = ANY (ARRAY(
  SELECT p.ctid FROM hapax.place p
  WHERE (SELECT true FROM hapax.run r
    WHERE r.workspace = p.workspace AND r.id = p.run_id AND r.phase = 0 AND r.turn = p.turn
      AND (r.limit_hashes IS NULL OR p.hash = ANY (r.limit_hashes)) LIMIT 1) IS NULL
    AND (SELECT true FROM hapax.moved WHERE moved.workspace = p.workspace) IS NULL
  LIMIT ?));
