-- The principal that applied this version. None = the server itself, or one that did not authenticate.
ALTER TABLE lifecycle
  ADD COLUMN applied_by_principal varchar(300) COLLATE "C";
