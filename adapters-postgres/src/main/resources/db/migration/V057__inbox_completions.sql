-- Completions beside the other intents.
ALTER TABLE inbox
  DROP CONSTRAINT inbox_verb_check,
  -- ... complete_action (5), complete_task (6), complete_operation (7)
  ADD CONSTRAINT inbox_verb_check CHECK (verb BETWEEN 1 AND 7),
  -- of the claim
  ADD COLUMN nonce bigint,
  ADD COLUMN fence bigint,
  ADD COLUMN lifecycle varchar(255) COLLATE "C",
  ADD COLUMN entity varchar(255) COLLATE "C",
  ADD COLUMN step integer,
  ADD COLUMN operation uuid,
  -- of the action or task, or the result of the operation
  ADD COLUMN output text COLLATE "C",
  ADD COLUMN state_patch text COLLATE "C",
  ADD COLUMN account_after varchar(255) COLLATE "C";
