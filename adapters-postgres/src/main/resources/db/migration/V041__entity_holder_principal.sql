-- The principal of the holder. None = the server did not authenticate.
ALTER TABLE entity
  ADD COLUMN holder_principal varchar(300) COLLATE "C";
