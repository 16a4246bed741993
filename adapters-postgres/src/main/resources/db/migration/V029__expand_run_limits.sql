-- Blocked at a step, ready or held: the limits of the step (limit_line), in whose lines the run has its turn. Null = the
-- step has none, or the run has no turn there.
ALTER TABLE run ADD COLUMN limit_hashes uuid[];
