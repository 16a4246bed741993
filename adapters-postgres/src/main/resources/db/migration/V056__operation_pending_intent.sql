-- The intent that completes the operation: hapax.complete_operation set it, and no server has taken it yet. Until then
-- servers do not decide on the row. Each write of a server clears it.
ALTER TABLE operation
  ADD COLUMN pending_intent uuid;
