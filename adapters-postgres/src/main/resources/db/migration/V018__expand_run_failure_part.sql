ALTER TABLE run ADD COLUMN failure_part varchar(255) COLLATE "C";
