-- As the column of a run: the name of a token, a line feed, and a type.
ALTER TABLE run_event ALTER COLUMN signal TYPE varchar(511) COLLATE "C";
