-- the name of the cell that this database is; null = it was never named, and is the first cell
ALTER TABLE installation ADD COLUMN cell varchar(63) COLLATE "C";
