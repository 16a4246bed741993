-- The intent that completes the task: hapax.complete_task set it, and no server has taken it yet. Until then servers
-- do not decide on the row. Each write of a server clears it.
ALTER TABLE run
  ADD COLUMN pending_intent uuid;
