-- The principal that the server verified beside the actor. None = the server itself, or one that did not authenticate.
ALTER TABLE entity_event
  ADD COLUMN principal varchar(300) COLLATE "C";
