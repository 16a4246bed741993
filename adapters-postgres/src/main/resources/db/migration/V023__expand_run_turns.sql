-- Runs that wait for tokens have the phase blocked (0), which is before all others: 6 and more are those that have ended.
ALTER TABLE run
  -- blocked: its place in the lines of the tokens
  ADD COLUMN turn        bigint,
  -- the tokens that it waits for, or waited for when it ended: a JSON array; none = no tokens
  ADD COLUMN awaited     text COLLATE "C",
  -- the tokens behind whose owner, this run, others may wait; null = none
  ADD COLUMN line_hashes uuid[],
  -- of an ended run: superseded_by took its idempotency key, so nothing continues it; null = it did not
  ADD COLUMN key_lost    boolean,
  DROP CONSTRAINT run_phase_check,
  ADD CONSTRAINT run_phase_check CHECK (phase BETWEEN 0 AND 8) NOT VALID;
