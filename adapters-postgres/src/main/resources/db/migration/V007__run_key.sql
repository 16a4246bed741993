-- Idempotency keys of runs.
CREATE TABLE run_key (
  workspace  varchar(63) COLLATE "C" NOT NULL,
  hash       uuid        NOT NULL,
  run_id     uuid        NOT NULL,
  request    uuid        NOT NULL,
  -- it still leads to a run that has not ended by then
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (workspace, hash)
);

-- A run goes together with the keys that led to it.
CREATE INDEX run_key_run ON run_key (workspace, run_id);
