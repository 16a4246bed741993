-- As in operation: an operator may have ended it.
ALTER TABLE operation_result
  ADD COLUMN resolution_actor varchar(255) COLLATE "C",
  ADD COLUMN resolution_fence bigint;
