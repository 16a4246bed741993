-- Steps that run at most once, whose lease is over: held, and not due. Few, and an operator looks for them.
DROP INDEX CONCURRENTLY IF EXISTS hapax.run_in_doubt;  -- a try that failed leaves it
CREATE INDEX CONCURRENTLY run_in_doubt ON hapax.run (workspace, id) WHERE phase = 2 AND due_at IS NULL;
