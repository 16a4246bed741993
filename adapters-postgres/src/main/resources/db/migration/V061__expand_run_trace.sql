-- The span of the caller that started a run, as the header `traceparent`; null = the caller sent none. Without a CHECK,
-- which would read the whole table while it is locked.
ALTER TABLE run ADD COLUMN trace text COLLATE "C";
