-- Idempotency keys that are finished: completed (4), rejected (5). Append-only, one partition for each
-- day on which rows may go; a day's rows go by dropping its partition. A key that was finished more
-- than once has several rows; the one with the highest fence counts.
CREATE TABLE operation_result (
  workspace        varchar(63)  COLLATE "C" NOT NULL,
  id               uuid         NOT NULL,
  fence            bigint       NOT NULL,
  nonce            bigint       NOT NULL,
  -- the last day on which the row is needed; never before expires_at
  purge_on         date         NOT NULL,
  state            smallint     NOT NULL CHECK (state BETWEEN 4 AND 5),
  attempt          integer      NOT NULL,
  started_at       timestamptz  NOT NULL,
  ended_at         timestamptz  NOT NULL,
  expires_at       timestamptz  NOT NULL,
  fingerprint      uuid         NOT NULL,
  account_changing boolean      NOT NULL,
  account          varchar(255) COLLATE "C" NOT NULL,
  claim_account    varchar(255) COLLATE "C",
  account_after    varchar(255) COLLATE "C",
  operation        varchar(255) COLLATE "C" NOT NULL,
  request_id       varchar(255) COLLATE "C" NOT NULL,
  -- the result, or the details of the failure
  json             text         COLLATE "C",
  bytes            bytea,
  failure_code     varchar(255) COLLATE "C",
  failure_message  text         COLLATE "C",
  resolution_id    varchar(255) COLLATE "C",
  resolution       varchar(255) COLLATE "C"
) PARTITION BY RANGE (purge_on);

CREATE INDEX operation_result_key ON operation_result (workspace, id);

-- For lists by age: a few bytes for many blocks, where an index would cost every write.
CREATE INDEX operation_result_started ON operation_result USING brin (started_at)
  WITH (pages_per_range = 32, autosummarize = on);
