-- Intents: what applications asked for in their own transactions, by hapax.start_run and the like, until a server
-- takes them. Only those functions insert. A row is here for about a second.
CREATE SEQUENCE inbox_seq;

CREATE TABLE inbox (
  workspace       varchar(63)  COLLATE "C" NOT NULL,
  -- the ticket; for verb 1 also the id of the run
  id              uuid         NOT NULL,
  -- a scan for new rows skips those that were visible to the scan before: see docs/adr/0021
  xid             xid8         NOT NULL DEFAULT pg_current_xact_id(),
  -- a row that was posted after another was committed has a higher number
  seq             bigint       NOT NULL,
  posted_at       timestamptz  NOT NULL,
  -- the role in force that posted it
  role            varchar(63)  COLLATE "C" NOT NULL,
  -- start_run (1), signal_run (2), signal_hook (3), cancel_run (4), complete_action (5), complete_task (6),
  -- complete_operation (7). Without a CHECK: PostgreSQL prepares one anew for each statement, and only functions insert
  verb            smallint     NOT NULL,
  -- bytes of its payloads
  size            integer      NOT NULL,
  -- how often a full inbox of its run put it off, and until when
  tries           smallint     NOT NULL DEFAULT 0,
  not_before      timestamptz,
  run_id          uuid,
  definition      varchar(255) COLLATE "C",
  version         varchar(255) COLLATE "C",
  input           text         COLLATE "C",
  -- SHA-256 of the idempotency key, condensed
  key             uuid,
  -- retentions in microseconds
  key_retention   bigint,
  allows_mismatch boolean      NOT NULL DEFAULT false,
  -- the token, condensed: itself it is a secret
  token           uuid,
  token_retention bigint,
  on_conflict     varchar(16)  COLLATE "C",
  expected_owner  uuid,
  signal_id       varchar(255) COLLATE "C",
  signal_type     varchar(255) COLLATE "C",
  signal_payload  text         COLLATE "C",
  start_at        timestamptz,
  label_names     text[]       COLLATE "C",
  label_values    text[]       COLLATE "C",
  reason          varchar(255) COLLATE "C",
  -- completions: of the claim
  nonce           bigint,
  fence           bigint,
  lifecycle       varchar(255) COLLATE "C",
  entity          varchar(255) COLLATE "C",
  step            integer,
  operation       uuid,
  -- of the action or task, or the result of the operation
  output          text         COLLATE "C",
  state_patch     text         COLLATE "C",
  account_after   varchar(255) COLLATE "C",
  -- the span of the session that posted, as the header traceparent; null or empty = it named none. A default, so that
  -- each function keeps it. One character more than a header has: what is longer stays invalid
  trace           text         COLLATE "C" DEFAULT left(current_setting('hapax.traceparent', true), 56),
  PRIMARY KEY (workspace, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0,
        autovacuum_analyze_threshold = 1000000);

CREATE INDEX inbox_xid ON inbox (xid);

ALTER SEQUENCE inbox_seq OWNED BY inbox.seq;

-- Servers read the intents of a workspace in the order of their numbers.
CREATE INDEX inbox_page ON inbox (workspace, seq);

-- A lane that waits stays out of scans.
CREATE INDEX inbox_paused ON inbox (not_before) WHERE not_before IS NOT NULL;

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

-- Which database roles may post which intents in which workspaces. `hapax sql` writes it.
CREATE TABLE sql_grant (
  role       name         NOT NULL,
  workspace  varchar(63)  COLLATE "C" NOT NULL,
  -- names of functions, such as start_run
  verbs      text[]       COLLATE "C" NOT NULL,
  granted_at timestamptz  NOT NULL,
  -- the user of the operating system
  granted_by varchar(255) COLLATE "C" NOT NULL,
  -- a grant ends with its role: a later role of the same name has another oid
  role_oid   oid          NOT NULL,
  PRIMARY KEY (role, workspace)
);

-- How many rows there were when the sequence had a value: one row, which a function that posts counts anew when the
-- inbox may be full.
CREATE TABLE inbox_count (counted_to bigint NOT NULL, posted bigint NOT NULL);
INSERT INTO inbox_count VALUES (0, 0);
ALTER TABLE inbox_count REPLICA IDENTITY FULL;

-- Half of the inbox is for one workspace, so that its backlog stops no other one. As inbox_count, for a workspace: at most
-- so many intents of it were there when the sequence had a value. A grant makes the row.
CREATE TABLE inbox_share (
  workspace  varchar(63) COLLATE "C" NOT NULL PRIMARY KEY,
  counted_to bigint      NOT NULL,
  posted     bigint      NOT NULL
) WITH (fillfactor = 50);
