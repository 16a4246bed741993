-- Idempotency keys that are not finished: in progress (1), indeterminate (2), released (3).
-- The row of a key is inserted by its first Begin, whose caller then holds the key.
CREATE TABLE operation (
  workspace        varchar(63)  COLLATE "C" NOT NULL,
  id               uuid         NOT NULL,
  state            smallint     NOT NULL CHECK (state BETWEEN 1 AND 3),
  attempt          integer      NOT NULL,
  nonce            bigint       NOT NULL,
  fence            bigint       NOT NULL,
  started_at       timestamptz  NOT NULL,
  expires_at       timestamptz  NOT NULL,
  -- in progress: when the lease ends; otherwise: since when it is so
  until            timestamptz  NOT NULL,
  fingerprint      uuid         NOT NULL,
  -- in progress: whose attempt it is
  attempt_id       uuid,
  account_changing boolean      NOT NULL,
  hold             boolean      NOT NULL,
  account          varchar(255) COLLATE "C" NOT NULL,
  -- of the last grant, where it is another than the first one's
  claim_account    varchar(255) COLLATE "C",
  operation        varchar(255) COLLATE "C" NOT NULL,
  request_id       varchar(255) COLLATE "C" NOT NULL,
  failure_code     varchar(255) COLLATE "C",
  failure_message  text         COLLATE "C",
  failure_json     text         COLLATE "C",
  failure_bytes    bytea,
  resolution_id    varchar(255) COLLATE "C",
  resolution       varchar(255) COLLATE "C",
  PRIMARY KEY (workspace, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0,
        autovacuum_analyze_threshold = 1000000);

-- Released keys are few; the sweep of the expired ones looks only at them.
CREATE INDEX operation_released ON operation (expires_at) WHERE state = 3;
