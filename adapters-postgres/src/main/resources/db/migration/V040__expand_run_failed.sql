-- Failed runs by cause, for the overview. Only such runs have an entry.
DROP INDEX CONCURRENTLY IF EXISTS hapax.run_failed;  -- a try that failed leaves it
CREATE INDEX CONCURRENTLY run_failed
  ON hapax.run (workspace, definition_name, definition_version, step, failure_code, until) WHERE status = 6;
