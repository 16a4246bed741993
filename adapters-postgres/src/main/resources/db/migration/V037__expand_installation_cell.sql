ALTER TABLE installation
  -- the name of the cell that this database is; null = it was never named, and is the first cell
  ADD COLUMN cell  varchar(63) COLLATE "C",
  -- how often a workspace was marked as moved
  ADD COLUMN moves bigint NOT NULL DEFAULT 0;
