-- Who resolved an operation last, and with which fence: a holder with a lower one lost its claim to an operator.
-- None of them = it was not resolved, or by a server of an older version.
ALTER TABLE operation
  ADD COLUMN resolution_actor varchar(255) COLLATE "C",
  ADD COLUMN resolution_fence bigint;
