-- Who registered a version, and why. None of them = a server of an older version registered it.
ALTER TABLE definition
  ADD COLUMN registered_by varchar(255) COLLATE "C",
  ADD COLUMN reason        varchar(255) COLLATE "C";
