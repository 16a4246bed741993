-- the limits of its runs as JSON, like those of steps; null = none
ALTER TABLE definition ADD COLUMN limits text;
