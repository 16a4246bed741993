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
  -- to how many calls the task was delivered; null = to one, as nearly always
  deliveries         integer,
  after_nonce        bigint,
  poll_id            uuid,
  -- the intent that completes the task: hapax.complete_task set it, and no server has taken it yet. Until then servers
  -- do not decide on the row. Each write of a server clears it.
  pending_intent     uuid,
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
  -- waiting: for which signals. The filter tells what it is: null = a type, where the empty one stands for any signal;
  -- 1 = the fingerprint of a token; 2 = the name of a token; 3 = the name of a token, a line feed, and a type
  signal_filter      smallint,
  signal             varchar(511) COLLATE "C",
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
  -- the span of the caller that started it, as the header traceparent; null = the caller sent none
  trace              text         COLLATE "C",
  PRIMARY KEY (workspace, id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 20000);

CREATE INDEX run_ready ON run (workspace, queue, due_at) WHERE queue IS NOT NULL;
CREATE INDEX run_due ON run (due_at) WHERE queue IS NULL AND due_at IS NOT NULL;
CREATE INDEX run_poll ON run (workspace, poll_id) WHERE poll_id IS NOT NULL;

-- For lists. Most runs complete, and they are found without it. Old runs are removed by a walk through the table: an entry
-- for each run that ends would cost more than a walk a day.
CREATE INDEX run_status ON run (workspace, status, id) WHERE status <> 5;

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
  -- that the server verified beside the actor; none = the server itself, or one that did not authenticate
  principal       varchar(300) COLLATE "C",
  -- none = done without a grant
  nonce           bigint,
  until           timestamptz,
  fence           bigint,
  -- of the grant, where they are not those of the actor
  grant_nonce     bigint,
  worker          varchar(255) COLLATE "C",
  after_nonce     bigint,
  poll_id         uuid,
  -- a token, condensed, also of a signal that arrived through it, and what its run calls it
  hook            uuid,
  hook_name       varchar(255) COLLATE "C",
  -- of the token, in microseconds
  retention       bigint,
  -- the other run when a token went from one to another
  other_run       uuid,
  -- of a step that code named, of a signal, of a request
  name            varchar(255) COLLATE "C",
  -- as in run
  signal_filter   smallint,
  signal          varchar(511) COLLATE "C",
  -- a JSON array of signal ids; none = no signals
  consumed        text         COLLATE "C",
  patch           text         COLLATE "C",
  reason          text         COLLATE "C",
  failure_code    varchar(255) COLLATE "C",
  failure_message text         COLLATE "C",
  -- the output, what a signal says, or the details of the failure
  json            text         COLLATE "C",
  bytes           bytea,
  -- what the same commit did next, where that needs no columns which the event itself uses: the start of a step, or the
  -- end of the run. It has the next version. None of them = the row tells one event
  then_type       smallint,
  -- none = as the event
  then_step       integer,
  then_attempt    integer,
  then_actor      varchar(255) COLLATE "C",
  -- none = as the event; empty = no principal
  then_principal  varchar(300) COLLATE "C",
  then_nonce      bigint,
  PRIMARY KEY (workspace, run_id, version)
) WITH (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000);

-- Idempotency keys of runs. They are removed by a scan: an index by run would cost every start more than a scan a day.
CREATE TABLE run_key (
  workspace  varchar(63) COLLATE "C" NOT NULL,
  hash       uuid        NOT NULL,
  run_id     uuid        NOT NULL,
  request    uuid        NOT NULL,
  -- it still leads to a run that has not ended by then
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (workspace, hash)
);

-- The inboxes of runs. What a signal says is in the event of its arrival, which has this version.
CREATE TABLE run_signal (
  workspace varchar(63)  COLLATE "C" NOT NULL,
  run_id    uuid         NOT NULL,
  id        varchar(255) COLLATE "C" NOT NULL,
  version   bigint       NOT NULL,
  type      varchar(255) COLLATE "C" NOT NULL,
  consumed  boolean      NOT NULL,
  -- the token through which it arrived, condensed, and what its run calls it; null = it was sent to the run itself
  hook      uuid,
  hook_name varchar(255) COLLATE "C",
  PRIMARY KEY (workspace, run_id, id)
);

CREATE INDEX run_signal_unconsumed ON run_signal (workspace, run_id, version) WHERE NOT consumed;

-- Steps that code has named. What one came to is in the event that recorded it, which has this version.
CREATE TABLE run_step (
  workspace varchar(63)  COLLATE "C" NOT NULL,
  run_id    uuid         NOT NULL,
  step      integer      NOT NULL,
  name      varchar(100) COLLATE "C" NOT NULL,
  version   bigint       NOT NULL,
  PRIMARY KEY (workspace, run_id, step, name)
);

-- Which runs have a label. A row is written once, where an index of the runs themselves would be written
-- with every change of a run.
CREATE TABLE run_label (
  workspace varchar(63)  COLLATE "C" NOT NULL,
  name      varchar(255) COLLATE "C" NOT NULL,
  value     varchar(255) COLLATE "C" NOT NULL,
  run_id    uuid         NOT NULL,
  PRIMARY KEY (workspace, name, value, run_id)
);
