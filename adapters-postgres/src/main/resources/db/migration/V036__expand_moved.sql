-- The workspaces that are in another cell. Each batch reads it, and rolls back if one of its workspaces is here: a server
-- may have an old map. Usually empty. An insert locks the table, so that no transaction that read it before is still
-- open.
CREATE TABLE moved (
  workspace varchar(63) COLLATE "C" NOT NULL PRIMARY KEY,
  -- that of its placement
  epoch     bigint      NOT NULL
);

SELECT hapax.raise_wall('moved');
