-- Intents: what applications asked for in their own transactions, by hapax.start_run and the like, until a server
-- takes them. Only those functions insert. A row is here for about a second.
CREATE SEQUENCE inbox_seq;

CREATE TABLE inbox (
  workspace       varchar(63)  COLLATE "C" NOT NULL,
  -- the ticket; for verb 1 also the id of the run
  id              uuid         NOT NULL,
  -- a scan for new rows skips those that were visible to the scan before: see docs/adr/0031
  xid             xid8         NOT NULL DEFAULT pg_current_xact_id(),
  -- a row that was posted after another was committed has a higher number
  seq             bigint       NOT NULL,
  posted_at       timestamptz  NOT NULL,
  -- the session user that posted it
  role            varchar(63)  COLLATE "C" NOT NULL,
  -- start_run (1), signal_run (2), signal_hook (3), cancel_run (4)
  verb            smallint     NOT NULL CHECK (verb BETWEEN 1 AND 4),
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
  PRIMARY KEY (workspace, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0,
        autovacuum_analyze_threshold = 1000000);

CREATE INDEX inbox_xid ON inbox (xid);

ALTER SEQUENCE inbox_seq OWNED BY inbox.seq;

ALTER TABLE inbox ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspaces_in_scope ON inbox
  USING ((workspace = ANY ((SELECT string_to_array(current_setting('hapax.scope', true), ','))::text[])) IS TRUE);
