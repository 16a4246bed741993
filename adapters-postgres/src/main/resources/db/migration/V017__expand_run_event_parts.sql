-- Events about parts: the part has the name of the event.
ALTER TABLE run_event
  ADD COLUMN part_attempt  integer,
  -- how long the body of a part ran by the clock of its worker, in microseconds
  ADD COLUMN elapsed       bigint,
  ADD COLUMN overlapped    boolean,
  ADD COLUMN is_wait       boolean,
  -- of a failure, or the part that an operator settled
  ADD COLUMN part          varchar(255) COLLATE "C",
  ADD COLUMN failure_stack text         COLLATE "C",
  -- of a settlement: complete (1), skip (2), fail (3), repeat (4)
  ADD COLUMN verdict       smallint;
