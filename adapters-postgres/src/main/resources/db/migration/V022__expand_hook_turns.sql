-- Of the runs that wait for the token (place). Null = none ever has, and the run is the one that got the token last.
ALTER TABLE hook
  -- the last turn that a run drew
  ADD COLUMN last_turn bigint,
  -- how many runs wait at most; null = none
  ADD COLUMN waiting   integer;
