-- Who declared the contract as it is, and why; null = not given, or declared by a server that did not store it.
ALTER TABLE janitor
  ADD COLUMN declared_by varchar(255) COLLATE "C",
  ADD COLUMN reason      varchar(255) COLLATE "C";
