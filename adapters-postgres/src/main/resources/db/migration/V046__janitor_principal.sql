-- The principal that declared the contract as it is. None = the server itself, or one that did not authenticate.
ALTER TABLE janitor
  ADD COLUMN declared_by_principal varchar(300) COLLATE "C";
