-- run
SET lock_timeout = '100ms'; SET statement_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s';
SELECT 1;
SELECT pg_try_advisory_lock(?);
DELETE FROM hapax.intent_outcome
WHERE ctid = ANY (
  ARRAY(
    SELECT ctid
    FROM hapax.intent_outcome
    WHERE taken_at < now() - interval '7 days'
      AND (SELECT true FROM hapax.moved WHERE moved.workspace = intent_outcome.workspace) IS NULL
    ORDER BY taken_at
    LIMIT 5000
  )
);
