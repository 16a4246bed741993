-- The principal of the operator. None = the server did not authenticate.
ALTER TABLE operation
  ADD COLUMN resolution_principal varchar(300) COLLATE "C";
