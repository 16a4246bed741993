-- Tokens, condensed, and the run that got each last. The run decides whether it still owns it.
CREATE TABLE hook (
  workspace   varchar(63) COLLATE "C" NOT NULL,
  hash        uuid        NOT NULL,
  run_id      uuid        NOT NULL,
  created_at  timestamptz NOT NULL,
  -- what the run calls the token; null = it has no name
  name        varchar(255) COLLATE "C",
  -- in microseconds
  retention   bigint      NOT NULL,
  disposed_at timestamptz,
  PRIMARY KEY (workspace, hash)
) WITH (fillfactor = 70);
