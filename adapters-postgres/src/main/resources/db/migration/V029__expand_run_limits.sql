-- Blocked at a step, ready or held: the limits of the step (limit_line), in whose lines the run has its turn. Null = the
-- step has none, or the run has no turn there.
ALTER TABLE run
  ADD COLUMN limit_hashes      uuid[],
  -- the turn of the run in the limits of its definition, and these; until it ends
  ADD COLUMN definition_turn   bigint,
  ADD COLUMN definition_hashes uuid[];
