-- Servers read the intents of a workspace in the order of their numbers.
CREATE INDEX inbox_page ON inbox (workspace, seq);

-- A lane that waits stays out of scans.
CREATE INDEX inbox_paused ON inbox (not_before) WHERE not_before IS NOT NULL;
