-- Who declared the contract as it is, and why; none = nobody said, or a server that did not keep it.
ALTER TABLE janitor
  ADD COLUMN declared_by varchar(255) COLLATE "C",
  ADD COLUMN reason      varchar(255) COLLATE "C";
