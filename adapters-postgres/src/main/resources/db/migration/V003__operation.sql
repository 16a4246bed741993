-- Idempotency keys that are not finished: in progress (1), indeterminate (2), released (3).
-- The row of a key is inserted by its first Begin, whose caller then holds the key.
CREATE TABLE operation (
  workspace            varchar(63)  COLLATE "C" NOT NULL,
  id                   uuid         NOT NULL,
  state                smallint     NOT NULL CHECK (state BETWEEN 1 AND 3),
  attempt              integer      NOT NULL,
  nonce                bigint       NOT NULL,
  fence                bigint       NOT NULL,
  started_at           timestamptz  NOT NULL,
  expires_at           timestamptz  NOT NULL,
  -- in progress: when the lease ends; otherwise: since when it is so
  until                timestamptz  NOT NULL,
  fingerprint          uuid         NOT NULL,
  -- in progress: whose attempt it is; indeterminate: the attempt whose lease expired without a word: it may renew it
  attempt_id           uuid,
  account_changing     boolean      NOT NULL,
  hold                 boolean      NOT NULL,
  account              varchar(255) COLLATE "C" NOT NULL,
  -- of the last grant, where it is another than the first one's
  claim_account        varchar(255) COLLATE "C",
  operation            varchar(255) COLLATE "C" NOT NULL,
  request_id           varchar(255) COLLATE "C" NOT NULL,
  failure_code         varchar(255) COLLATE "C",
  failure_message      text         COLLATE "C",
  failure_json         text         COLLATE "C",
  failure_bytes        bytea,
  -- the last resolution, by whom, and with which fence: a holder with a lower one lost its claim to an operator
  resolution_id        varchar(255) COLLATE "C",
  resolution           varchar(255) COLLATE "C",
  resolution_actor     varchar(255) COLLATE "C",
  -- that the server verified; null = it did not authenticate
  resolution_principal varchar(300) COLLATE "C",
  resolution_fence     bigint,
  -- what the key remembers of calls that ended earlier grants, and of earlier resolutions, so that one of them sent
  -- again is answered as the first time; few keys have any. 17 bytes each, oldest first: nonce, fence, kind (retryable
  -- 1, final 2, unknown effect 3)
  earlier_failures     bytea,
  -- 16 bytes each, oldest first: request ids, condensed
  earlier_resolutions  bytea,
  -- the intent that completes the operation: hapax.complete_operation set it, and no server has taken it yet. Until then
  -- servers do not decide on the row. Each write of a server clears it.
  pending_intent       uuid,
  PRIMARY KEY (workspace, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0,
        autovacuum_analyze_threshold = 1000000);

-- Released keys are few; the sweep of the expired ones looks only at them.
CREATE INDEX operation_released ON operation (expires_at) WHERE state = 3;

-- Operations that wait for an operator are few; they are counted for the metrics every few seconds.
CREATE INDEX operation_indeterminate ON operation (workspace) WHERE state = 2;

-- Idempotency keys that are finished: completed (4), rejected (5). Append-only, one partition for each
-- day on which rows may go; a day's rows go by dropping its partition. A key that was finished more
-- than once has several rows; the one with the highest fence counts.
CREATE TABLE operation_result (
  workspace            varchar(63)  COLLATE "C" NOT NULL,
  id                   uuid         NOT NULL,
  fence                bigint       NOT NULL,
  nonce                bigint       NOT NULL,
  -- the last day on which the row is needed; never before expires_at
  purge_on             date         NOT NULL,
  state                smallint     NOT NULL CHECK (state BETWEEN 4 AND 5),
  attempt              integer      NOT NULL,
  started_at           timestamptz  NOT NULL,
  ended_at             timestamptz  NOT NULL,
  expires_at           timestamptz  NOT NULL,
  fingerprint          uuid         NOT NULL,
  account_changing     boolean      NOT NULL,
  account              varchar(255) COLLATE "C" NOT NULL,
  claim_account        varchar(255) COLLATE "C",
  account_after        varchar(255) COLLATE "C",
  operation            varchar(255) COLLATE "C" NOT NULL,
  request_id           varchar(255) COLLATE "C" NOT NULL,
  -- the result, or the details of the failure
  json                 text         COLLATE "C",
  bytes                bytea,
  failure_code         varchar(255) COLLATE "C",
  failure_message      text         COLLATE "C",
  -- from here on as in operation: an operator may have ended it, and the key keeps what it remembers
  resolution_id        varchar(255) COLLATE "C",
  resolution           varchar(255) COLLATE "C",
  resolution_actor     varchar(255) COLLATE "C",
  resolution_principal varchar(300) COLLATE "C",
  resolution_fence     bigint,
  earlier_failures     bytea,
  earlier_resolutions  bytea
) PARTITION BY RANGE (purge_on);

-- A table without a primary key needs it for logical replication.
ALTER TABLE operation_result REPLICA IDENTITY FULL;

CREATE INDEX operation_result_key ON operation_result (workspace, id);

-- For lists by age: a few bytes for many blocks, where an index would cost every write.
CREATE INDEX operation_result_started ON operation_result USING brin (started_at)
  WITH (pages_per_range = 32, autosummarize = on);

-- Creates the partition of a day, for a role that owns no table. Rows reach it through its parent, whose
-- policies count; it has none itself, so that no role can read it directly.
CREATE FUNCTION create_result_partition(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
DECLARE
  partition text := format('hapax.operation_result_%s', to_char(day, 'YYYYMMDD'));
BEGIN
  IF EXISTS (SELECT FROM pg_inherits
      WHERE inhrelid = to_regclass(partition) AND inhparent = 'hapax.operation_result'::regclass) THEN
    RETURN;
  END IF;
  -- CREATE TABLE ... PARTITION OF would lock the parent exclusively; to attach one does not
  EXECUTE format('CREATE TABLE %s (LIKE hapax.operation_result INCLUDING CONSTRAINTS)', partition);
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', partition);
  EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', partition);
  EXECUTE format('ALTER TABLE hapax.operation_result ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
    partition, day, day + 1);
END
$$;

-- Drops the partition of a day that is over.
CREATE FUNCTION drop_result_partition(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS
$$
BEGIN
  IF day >= (clock_timestamp() AT TIME ZONE 'UTC')::date THEN
    RAISE EXCEPTION 'results that are kept until % are still needed', day;
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS hapax.operation_result_%s', to_char(day, 'YYYYMMDD'));
END
$$;

REVOKE EXECUTE ON FUNCTION create_result_partition(date), drop_result_partition(date) FROM PUBLIC;
