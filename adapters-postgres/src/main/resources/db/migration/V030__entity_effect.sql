-- Taken: which definition the after-effect follows; none = the one that the lifecycle brings along for its name.
ALTER TABLE entity
  ADD COLUMN effect_definition varchar(255) COLLATE "C",
  ADD COLUMN effect_version    varchar(255) COLLATE "C";
