-- The principal of the worker that recovers the entity; null = the server did not authenticate. It counts only while its
-- nonce is that of the recovery: a server of an older version grants recoveries and leaves both columns as they are.
ALTER TABLE entity
  ADD COLUMN worker_principal varchar(300) COLLATE "C",
  ADD COLUMN worker_principal_nonce bigint;
