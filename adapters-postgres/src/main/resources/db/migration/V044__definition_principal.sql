-- The principal that registered a version. None = the server itself, or one that did not authenticate.
ALTER TABLE definition
  ADD COLUMN registered_by_principal varchar(300) COLLATE "C";
