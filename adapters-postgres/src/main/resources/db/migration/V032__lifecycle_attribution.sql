-- Who applied this version, and why; null = not given, or applied by a server that did not store it.
ALTER TABLE lifecycle
  ADD COLUMN applied_by varchar(255) COLLATE "C",
  ADD COLUMN reason     varchar(255) COLLATE "C";
