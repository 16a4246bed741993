-- A signal that arrived through a token uses `hook`, as the events of tokens do, and both have its name.
-- What `signal` of a suspension is: as in run.
ALTER TABLE run_event
  ADD COLUMN hook_name     varchar(255) COLLATE "C",
  ADD COLUMN signal_filter smallint;
