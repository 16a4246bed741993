-- Of a start, in microseconds from not_before; null = none. With the timeout of the definition.
ALTER TABLE run
  ADD COLUMN timeout       bigint,
  ADD COLUMN start_timeout bigint,
  -- when a server fails the run if it has not ended, or not started; kept after its end; null = never
  ADD COLUMN deadline_at   timestamptz,
  -- held: when the attempt ends; null = with its lease
  ADD COLUMN attempt_until timestamptz,
  -- that a worker last reported about the step, for its next attempt
  ADD COLUMN details_json  text COLLATE "C",
  ADD COLUMN details_bytes bytea;
