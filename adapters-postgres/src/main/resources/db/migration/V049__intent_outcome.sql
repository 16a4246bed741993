-- What became of the intents that were taken, for seven days.
CREATE TABLE intent_outcome (
  workspace          varchar(63)  COLLATE "C" NOT NULL,
  id                 uuid         NOT NULL,
  verb               smallint     NOT NULL,
  role               varchar(63)  COLLATE "C" NOT NULL,
  posted_at          timestamptz  NOT NULL,
  tries              smallint     NOT NULL,
  taken_at           timestamptz  NOT NULL,
  -- as the rpc calls it; CANCELLED for verb 4; none if it failed
  disposition        varchar(16)  COLLATE "C",
  signal_disposition varchar(16)  COLLATE "C",
  run_id             uuid,
  -- the run that owns or owned the token
  owner_id           uuid,
  -- as the rpc calls its error
  reason             varchar(63)  COLLATE "C",
  detail             text         COLLATE "C",
  PRIMARY KEY (workspace, id)
);

CREATE INDEX intent_outcome_taken ON intent_outcome (taken_at);
CREATE INDEX intent_outcome_failed ON intent_outcome (workspace, id) WHERE reason IS NOT NULL;

ALTER TABLE intent_outcome ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspaces_in_scope ON intent_outcome
  USING ((workspace = ANY ((SELECT string_to_array(current_setting('hapax.scope', true), ','))::text[])) IS TRUE);
