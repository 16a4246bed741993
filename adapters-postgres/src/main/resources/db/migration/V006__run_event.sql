-- The histories of runs: append-only, one row for each version of a run. Which columns are used
-- depends on the type. The run itself has the columns of the first event.
CREATE TABLE run_event (
  workspace       varchar(63)  COLLATE "C" NOT NULL,
  run_id          uuid         NOT NULL,
  version         bigint       NOT NULL,
  at              timestamptz  NOT NULL,
  step            integer      NOT NULL,
  attempt         integer      NOT NULL,
  type            smallint     NOT NULL,
  skipped         boolean,
  -- none = the server
  actor           varchar(255) COLLATE "C",
  -- none = done without a grant
  nonce           bigint,
  until           timestamptz,
  fence           bigint,
  -- of the grant, where they are not those of the actor
  grant_nonce     bigint,
  worker          varchar(255) COLLATE "C",
  after_nonce     bigint,
  poll_id         uuid,
  -- a token, condensed
  hook            uuid,
  -- of the token, in microseconds
  retention       bigint,
  -- the other run when a token went from one to another
  other_run       uuid,
  -- of a step that code named, of a signal, of a request
  name            varchar(255) COLLATE "C",
  signal          varchar(255) COLLATE "C",
  -- a JSON array of signal ids; none = no signals
  consumed        text         COLLATE "C",
  patch           text         COLLATE "C",
  reason          text         COLLATE "C",
  failure_code    varchar(255) COLLATE "C",
  failure_message text         COLLATE "C",
  -- the output, what a signal says, or the details of the failure
  json            text         COLLATE "C",
  bytes           bytea,
  PRIMARY KEY (workspace, run_id, version)
) WITH (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000);
