-- As in operation: a key keeps what it remembers when it ends.
ALTER TABLE operation_result
  ADD COLUMN earlier_failures bytea,
  ADD COLUMN earlier_resolutions bytea;
