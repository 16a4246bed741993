-- of a run whose start has none, in microseconds; null = none
ALTER TABLE definition ADD COLUMN timeout bigint;
