-- Who applied this version, and why; none = nobody said, or a server that did not keep it.
ALTER TABLE lifecycle
  ADD COLUMN applied_by varchar(255) COLLATE "C",
  ADD COLUMN reason     varchar(255) COLLATE "C";
