-- What the caller kept of an action that succeeded; in one of two columns, or none.
ALTER TABLE entity_event
  ADD COLUMN output_json  text COLLATE "C",
  ADD COLUMN output_bytes bytea;
