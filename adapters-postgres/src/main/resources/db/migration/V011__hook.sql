-- Tokens, condensed, and the run that got each last. Whether that run owns it still is for the run to say.
CREATE TABLE hook (
  workspace   varchar(63) COLLATE "C" NOT NULL,
  hash        uuid        NOT NULL,
  run_id      uuid        NOT NULL,
  created_at  timestamptz NOT NULL,
  -- in microseconds
  retention   bigint      NOT NULL,
  disposed_at timestamptz,
  PRIMARY KEY (workspace, hash)
) WITH (fillfactor = 70);
