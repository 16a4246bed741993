-- Runs that fail at a time, in whatever phase they are. Only such runs have an entry.
DROP INDEX CONCURRENTLY IF EXISTS hapax.run_deadline;  -- a try that failed leaves it
CREATE INDEX CONCURRENTLY run_deadline ON hapax.run (deadline_at) WHERE deadline_at IS NOT NULL AND phase < 6;
