-- The intent that completes the action: hapax.complete_action set it, and no server has taken it yet. Until then
-- servers do not decide on the row. Each write of a server clears it.
ALTER TABLE entity
  ADD COLUMN pending_intent uuid;
