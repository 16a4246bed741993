-- The principal that the server verified beside the actor. None = the server itself, or one that did not authenticate.
ALTER TABLE run_event
  ADD COLUMN principal      varchar(300) COLLATE "C",
  -- none = as the event; empty = no principal
  ADD COLUMN then_principal varchar(300) COLLATE "C";
