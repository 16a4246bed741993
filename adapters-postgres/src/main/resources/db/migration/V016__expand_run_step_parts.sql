-- Parts of code: a row is the state of a part, and the event of its version has the output or the failure. Null in the
-- new columns = a part with an output, whose order among others counts.
-- state: completed (1), begun (2), to be retried (3), failed (4)
ALTER TABLE run_step
  ALTER COLUMN name TYPE varchar(255) COLLATE "C",
  ADD COLUMN state      smallint CHECK (state BETWEEN 1 AND 4),
  -- the number of the last attempt; 0 = none, or an operator repeats it
  ADD COLUMN attempts   integer,
  -- of the first failure
  ADD COLUMN since      timestamptz,
  -- of the next attempt
  ADD COLUMN due_at     timestamptz,
  -- another part of its scope ran meanwhile
  ADD COLUMN overlapped boolean,
  -- the end of a wait
  ADD COLUMN is_wait    boolean;
