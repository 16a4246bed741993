-- Runs, as their histories left them. What never changes comes first and last, and what changes in
-- between: of an update within a page the log then holds only that.
CREATE TABLE run (
  workspace          varchar(63)  COLLATE "C" NOT NULL,
  id                 uuid         NOT NULL,
  created_at         timestamptz  NOT NULL,
  not_before         timestamptz  NOT NULL,
  remembered_until   timestamptz  NOT NULL,
  definition_name    varchar(255) COLLATE "C" NOT NULL,
  definition_version varchar(255) COLLATE "C" NOT NULL,
  version            bigint       NOT NULL,
  fence              bigint       NOT NULL,
  received           bigint       NOT NULL,
  started_at         timestamptz,
  -- ready: not before this; held: when the lease ends; waiting: its end; ended: when
  until              timestamptz,
  -- when it is due: for workers of the queue, or for the server if there is no queue
  due_at             timestamptz,
  -- held: the grant
  nonce              bigint,
  after_nonce        bigint,
  poll_id            uuid,
  -- the runs it took a token from, and that took one of it; the last ones
  supersedes         uuid,
  superseded_by      uuid,
  -- how long its tokens are kept after its end, in microseconds; none = not at all
  token_retention    bigint,
  step               integer      NOT NULL,
  attempt            integer      NOT NULL,
  allowed            integer      NOT NULL,
  -- ready: the attempt that would begin
  next_attempt       integer,
  unconsumed         integer      NOT NULL,
  named              integer      NOT NULL,
  -- pending (1), running (2), waiting (3), paused (4), completed (5), failed (6), cancelled (7)
  status             smallint     NOT NULL CHECK (status BETWEEN 1 AND 7),
  -- ready (1), held (2), waiting (3), waiting with an unchecked inbox (4), settled (5),
  -- completed (6), failed (7), cancelled (8)
  phase              smallint     NOT NULL CHECK (phase BETWEEN 1 AND 8),
  paused             boolean      NOT NULL,
  queue              varchar(255) COLLATE "C",
  worker             varchar(255) COLLATE "C",
  -- waiting: for which signals
  signal             varchar(255) COLLATE "C",
  failure_code       varchar(255) COLLATE "C",
  failure_message    text         COLLATE "C",
  failure_json       text         COLLATE "C",
  failure_bytes      bytea,
  -- cancelled: why
  reason             text         COLLATE "C",
  output_json        text         COLLATE "C",
  output_bytes       bytea,
  -- a JSON object; none = an empty one
  state              text         COLLATE "C",
  input_json         text         COLLATE "C",
  input_bytes        bytea,
  -- a JSON object of strings; none = no labels
  labels             text         COLLATE "C",
  PRIMARY KEY (workspace, id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 20000);

CREATE INDEX run_ready ON run (workspace, queue, due_at) WHERE queue IS NOT NULL;
CREATE INDEX run_due ON run (due_at) WHERE queue IS NULL AND due_at IS NOT NULL;
CREATE INDEX run_poll ON run (workspace, poll_id) WHERE poll_id IS NOT NULL;

-- For lists. Most runs complete, and they are found without it.
CREATE INDEX run_status ON run (workspace, status, id) WHERE status <> 5;

-- To remove runs long after their end. Costs one entry when a run ends, and nothing before.
CREATE INDEX run_ended ON run (until) WHERE phase >= 6;
