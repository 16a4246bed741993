-- Held: to how many calls the task was delivered; none = to one. Nearly always none, and in no index.
ALTER TABLE run ADD COLUMN deliveries integer;
