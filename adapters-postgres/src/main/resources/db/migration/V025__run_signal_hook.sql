-- The token through which a signal arrived, condensed, and what its run calls it. None of them = the signal
-- was sent to the run itself.
ALTER TABLE run_signal
  ADD COLUMN hook      uuid,
  ADD COLUMN hook_name varchar(255) COLLATE "C";
