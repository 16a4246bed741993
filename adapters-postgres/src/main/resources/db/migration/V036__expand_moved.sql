-- The workspaces that are in another cell, or about to go there or to come. Each batch reads it, and rolls back if one of its
-- workspaces is here: a server may have an old map. Usually empty. Who inserts a row waits for each transaction that
-- has a lock on this table, since it may have read it before.
CREATE TABLE moved (
  workspace varchar(63) COLLATE "C" NOT NULL PRIMARY KEY
);

SELECT hapax.raise_wall('moved');

-- Whether a transaction may write a workspace here. One with a snapshot that it keeps does not see a row that was inserted
-- since: its lock fails, because each row of moved also changes this one.
CREATE FUNCTION is_here(own text) RETURNS boolean LANGUAGE plpgsql AS
$$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM FROM hapax.installation FOR SHARE;
  END IF;
  RETURN NOT EXISTS (SELECT FROM hapax.moved m WHERE m.workspace = own);
END
$$;
REVOKE EXECUTE ON FUNCTION is_here FROM PUBLIC;
