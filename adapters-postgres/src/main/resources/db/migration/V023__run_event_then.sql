-- What the same commit did next, where that needs no columns which the event itself uses: the start of a
-- step, or the end of the run. It has the next version. None of them = the row tells one event.
ALTER TABLE run_event
  ADD COLUMN then_type    smallint,
  -- none = as the event
  ADD COLUMN then_step    integer,
  ADD COLUMN then_attempt integer,
  ADD COLUMN then_actor   varchar(255) COLLATE "C",
  ADD COLUMN then_nonce   bigint;
