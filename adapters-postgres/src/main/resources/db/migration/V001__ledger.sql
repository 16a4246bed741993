-- The tables of every ledger, whatever its records.

-- Each committer of each node owns one row, which every writing batch raises to its own number. After
-- a connection was lost at commit, the row tells whether that batch was committed.
CREATE TABLE committer (
  id         uuid        NOT NULL PRIMARY KEY,
  batch      bigint      NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 10);

-- What this installation keeps. One row.
CREATE TABLE installation (
  only_row          boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (only_row),
  -- drawn once: ids are made with it
  secret            bytea   NOT NULL CHECK (length(secret) = 32),
  -- the identity of the database, as the first server found it; null = none has, or the provider hides it
  system_identifier bigint,
  database_oid      oid,
  timeline          integer
);

-- Rolls a batch back when one of its writes came back short: another transaction changed the row
-- between its load and its write, and it has to be decided again.
CREATE FUNCTION expect(expected bigint, actual bigint, what text) RETURNS boolean
  LANGUAGE plpgsql IMMUTABLE STRICT AS
$$
BEGIN
  IF actual <> expected THEN
    RAISE EXCEPTION '% of % rows written: %', actual, expected, what USING ERRCODE = 'HX001';
  END IF;
  RETURN true;
END
$$;
