-- What the run calls the token. None = it has no name.
ALTER TABLE hook
  ADD COLUMN name varchar(255) COLLATE "C";
